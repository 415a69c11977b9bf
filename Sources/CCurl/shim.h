#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#if !__has_include(<curl/curl.h>)
#error "Ferry needs the headers of libcurl: apt install libcurl4-openssl-dev, dnf install libcurl-devel, pacman -S curl, zypper install libcurl-devel (README: System packages)"
#else

#include <curl/curl.h>

// CURLOPT_QUICK_EXIT, without which cancelling waits for the name server, came with this version.
#if LIBCURL_VERSION_NUM < 0x075700
#error "Ferry needs libcurl 7.87 or newer"
#endif

// Swift imports neither variadic functions nor macros with casts in them. The names follow libcurl's.

#pragma clang assume_nonnull begin

typedef int (*CCurl_sockopt_callback)(void *_Nullable context, curl_socket_t, curlsocktype);
typedef int (*CCurl_debug_callback)(
    CURL *easy, curl_infotype, char *_Nullable bytes, size_t count, void *_Nullable context
);

static inline CURLcode CCurl_easy_setopt_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode CCurl_easy_setopt_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode CCurl_easy_setopt_string(
    CURL *easy, CURLoption option, const char *_Nullable value
) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode CCurl_easy_setopt_pointer(
    CURL *easy, CURLoption option, void *_Nullable value
) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode CCurl_easy_setopt_blob(
    CURL *easy, CURLoption option, const void *_Nullable bytes, size_t count
) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob);
}

static inline CURLcode CCurl_easy_set_header_function(CURL *easy, curl_write_callback function) {
    return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, function);
}

static inline CURLcode CCurl_easy_set_write_function(CURL *easy, curl_write_callback function) {
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, function);
}

static inline CURLcode CCurl_easy_set_read_function(CURL *easy, curl_read_callback function) {
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, function);
}

static inline CURLcode CCurl_easy_set_seek_function(CURL *easy, curl_seek_callback function) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}

static inline CURLcode CCurl_easy_set_prereq_function(CURL *easy, curl_prereq_callback function) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode CCurl_easy_set_debug_function(
    CURL *easy, CCurl_debug_callback function
) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, function);
}

static inline CURLcode CCurl_easy_set_resolver_start_function(
    CURL *easy, curl_resolver_start_callback function
) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, function);
}

static inline CURLcode CCurl_easy_set_ssl_context_function(
    CURL *easy, curl_ssl_ctx_callback function
) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, function);
}

static inline CURLcode CCurl_easy_set_sockopt_function(
    CURL *easy, CCurl_sockopt_callback function
) {
    return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, function);
}

static inline CURLcode CCurl_easy_set_closesocket_function(
    CURL *easy, curl_closesocket_callback function
) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, function);
}

static inline CURLcode CCurl_easy_getinfo_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode CCurl_easy_getinfo_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode CCurl_easy_getinfo_string(
    CURL *easy, CURLINFO info, const char *_Nullable *_Nonnull value
) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode CCurl_easy_getinfo_socket(CURL *easy, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode CCurl_easy_getinfo_tls_session(
    CURL *easy, CURLINFO info, struct curl_tlssessioninfo *_Nullable *_Nonnull value
) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode CCurl_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode CCurl_multi_set_socket_function(
    CURLM *multi, curl_socket_callback function, void *context
) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}

static inline CURLMcode CCurl_multi_set_timer_function(
    CURLM *multi, curl_multi_timer_callback function, void *context
) {
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}

/// Returns the value by which a write callback receives the same bytes again after the pause.
static inline size_t CCurl_writefunc_pause(void) { return CURL_WRITEFUNC_PAUSE; }

/// Returns the value by which a write callback fails the transfer.
static inline size_t CCurl_writefunc_error(void) { return CURL_WRITEFUNC_ERROR; }

/// Returns the socket that stands for "a timer has expired".
static inline curl_socket_t CCurl_socket_timeout(void) { return CURL_SOCKET_TIMEOUT; }

#pragma clang assume_nonnull end

#endif
#endif
