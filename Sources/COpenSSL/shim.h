#ifndef FERRY_COPENSSL_SHIM_H
#define FERRY_COPENSSL_SHIM_H

#if !__has_include(<openssl/ssl.h>)
#error "Ferry needs the headers of OpenSSL: apt install libssl-dev, dnf install openssl-devel, pacman -S openssl, zypper install libopenssl-devel (README: System packages)"
#else

#include <limits.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Swift imports neither macros with types in them nor the stacks that are made of them. The names
// follow OpenSSL's.

#pragma clang assume_nonnull begin

/// Makes an end of a connection that its server has not announced (close_notify) a failure: any party on the
/// way can cause such an end.
///
/// libcurl sets the opposite. The option has an effect only if libcurl's reader can report an end to OpenSSL,
/// which that of 7.88 cannot.
static inline void COpenSSL_fail_at_unexpected_end(void *tls_context) {
    SSL_CTX_clear_options((SSL_CTX *)tls_context, SSL_OP_IGNORE_UNEXPECTED_EOF);
}

/// Reads certificates and revocation lists in PEM.
///
/// Returns: What was read; NULL if something cannot be read, or there is no certificate.
static inline X509_STORE *_Nullable COpenSSL_make_store(const void *_Nullable bytes, size_t count) {
    if (!bytes || count > INT_MAX) return NULL;
    BIO *source = BIO_new_mem_buf(bytes, (int)count);
    STACK_OF(X509_INFO) *infos = source ? PEM_X509_INFO_read_bio(source, NULL, NULL, NULL) : NULL;
    X509_STORE *store = X509_STORE_new();
    int certificate_count = 0, is_complete = infos && store;
    for (int index = 0; is_complete && index < sk_X509_INFO_num(infos); index++) {
        const X509_INFO *info = sk_X509_INFO_value(infos, index);
        if (info->x509) {
            is_complete = X509_STORE_add_cert(store, info->x509);
            certificate_count++;
        }
        if (info->crl) is_complete = is_complete && X509_STORE_add_crl(store, info->crl);
    }
    sk_X509_INFO_pop_free(infos, X509_INFO_free);
    BIO_free(source);
    // As in libcurl, an intermediate certificate is trusted like one at the end, and the shorter chain is
    // used.
    if (is_complete && certificate_count > 0
        && X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN))
        return store;
    X509_STORE_free(store);
    return NULL;
}

/// Makes the connections of a context trust the certificates of a store.
static inline void COpenSSL_trust(void *tls_context, X509_STORE *store) {
    SSL_CTX_set1_cert_store((SSL_CTX *)tls_context, store);
}

/// Decides on a server's certificate: 1 to continue, 0 to end the handshake.
typedef int (*COpenSSL_verify_callback)(X509_STORE_CTX *_Nullable store, void *_Nullable context);

/// Makes a callback decide on the certificates of the connections of a context.
static inline void COpenSSL_set_verify_callback(
    void *tls_context, COpenSSL_verify_callback callback, void *_Nullable context
) {
    SSL_CTX_set_cert_verify_callback((SSL_CTX *)tls_context, callback, context);
}

/// Called with the kept pointer, or NULL, when a context is freed.
typedef void (*COpenSSL_release)(
    void *_Nullable parent, void *_Nullable kept, CRYPTO_EX_DATA *_Nullable data, int index,
    long number, void *_Nullable context
);

/// Makes a place in which every TLS context can keep a pointer.
static inline int COpenSSL_make_place(COpenSSL_release release) {
    return CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, NULL, NULL, NULL, release);
}

/// Keeps a pointer in a TLS context.
static inline int COpenSSL_keep(void *tls_context, int place, void *kept) {
    return SSL_CTX_set_ex_data((SSL_CTX *)tls_context, place, kept);
}

/// Returns the pointer that is kept in the context of a connection.
static inline void *_Nullable COpenSSL_kept(SSL *tls, int place) {
    return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(tls), place);
}

/// Decides on a server's request for a certificate: 0 to continue without, -1 to suspend the handshake.
typedef int (*COpenSSL_client_certificate_callback)(
    SSL *_Nullable tls, X509 *_Nullable *_Nullable certificate, EVP_PKEY *_Nullable *_Nullable key
);

/// Makes a callback decide on such requests, on the connections of a context that has no certificate.
static inline void COpenSSL_set_client_certificate_callback(
    void *tls_context, COpenSSL_client_certificate_callback callback
) {
    SSL_CTX_set_client_cert_cb((SSL_CTX *)tls_context, callback);
}

/// Returns the number of authorities that the server has named in its request.
static inline int COpenSSL_issuer_count(SSL *tls) {
    const STACK_OF(X509_NAME) *names = SSL_get0_peer_CA_list(tls);
    return names ? sk_X509_NAME_num(names) : 0;
}

/// Returns the name of one of these authorities.
static inline X509_NAME *_Nullable COpenSSL_issuer(SSL *tls, int index) {
    return sk_X509_NAME_value(SSL_get0_peer_CA_list(tls), index);
}

/// Called for an event on a connection; see SSL_CTX_set_info_callback(3).
typedef void (*COpenSSL_info_callback)(const SSL *_Nullable tls, int place, int value);

/// Sets a callback for the events on the connections of a context.
static inline void COpenSSL_set_info_callback(void *tls_context, COpenSSL_info_callback callback) {
    SSL_CTX_set_info_callback((SSL_CTX *)tls_context, callback);
}

/// Returns the number of certificates that the server has sent, its own first.
static inline int COpenSSL_sent_count(X509_STORE_CTX *store) {
    return sk_X509_num(X509_STORE_CTX_get0_untrusted(store));
}

/// Returns one of the certificates that the server has sent.
static inline X509 *_Nullable COpenSSL_sent(X509_STORE_CTX *store, int index) {
    return sk_X509_value(X509_STORE_CTX_get0_untrusted(store), index);
}

/// Returns the number of certificates in the verified chain, as far as one was built.
static inline int COpenSSL_chain_count(X509_STORE_CTX *store) {
    STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(store);
    return chain ? sk_X509_num(chain) : 0;
}

/// Returns one certificate of that chain, the server's own first.
static inline X509 *_Nullable COpenSSL_chain(X509_STORE_CTX *store, int index) {
    return sk_X509_value(X509_STORE_CTX_get0_chain(store), index);
}

/// Returns whether a certificate has names or addresses (RFC 9525 §6.3, subjectAltName).
static inline int COpenSSL_has_names(X509 *_Nullable certificate) {
    GENERAL_NAMES *names =
        certificate ? X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL) : NULL;
    int is_found = 0;
    for (int index = 0; index < sk_GENERAL_NAME_num(names); index++) {
        int type = sk_GENERAL_NAME_value(names, index)->type;
        if (type == GEN_DNS || type == GEN_IPADD) is_found = 1;
    }
    GENERAL_NAMES_free(names);
    return is_found;
}

static inline int COpenSSL_check_names(int is_valid, X509_STORE_CTX *_Nullable store) {
    if (!store || !is_valid || X509_STORE_CTX_get_error_depth(store) != 0) return is_valid;
    if (COpenSSL_has_names(X509_STORE_CTX_get_current_cert(store))) return 1;
    X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
    return 0;
}

/// Returns whether libcurl makes a context for a proxy, by the one option that CURLOPT_PROXY_SSL_OPTIONS sets.
static inline int COpenSSL_is_for_proxy(void *tls_context) {
    return (SSL_CTX_get_options((SSL_CTX *)tls_context) & SSL_OP_DONT_INSERT_EMPTY_FRAGMENTS) != 0;
}

/// Refuses servers' certificates without names, for which libcurl compares the host with the subject's common name.
static inline void COpenSSL_require_names(void *tls_context) {
    SSL_CTX *context = (SSL_CTX *)tls_context;
    SSL_CTX_set_verify(context, SSL_CTX_get_verify_mode(context), COpenSSL_check_names);
}

#pragma clang assume_nonnull end

#endif
#endif
