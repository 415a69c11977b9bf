#ifndef FERRY_COPENSSL_SHIM_H
#define FERRY_COPENSSL_SHIM_H

#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Swift imports neither macros with types in them nor the stacks that are made of them. The names
// follow OpenSSL's.

#pragma clang assume_nonnull begin

/// Decides on a server's certificate: 1 to go on, 0 to end the handshake.
typedef int (*COpenSSL_verify_callback)(X509_STORE_CTX *_Nullable store, void *_Nullable context);

/// Has a callback decide on the certificates of the connections of a context.
static inline void COpenSSL_set_verify_callback(
    void *tls_context, COpenSSL_verify_callback callback, void *_Nullable context
) {
    SSL_CTX_set_cert_verify_callback((SSL_CTX *)tls_context, callback, context);
}

/// Called with what was kept, or NULL, when a context goes.
typedef void (*COpenSSL_release)(
    void *_Nullable parent, void *_Nullable kept, CRYPTO_EX_DATA *_Nullable data, int index,
    long number, void *_Nullable context
);

/// A place in which every TLS context can keep something.
static inline int COpenSSL_make_place(COpenSSL_release release) {
    return CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, NULL, NULL, NULL, release);
}

/// Keeps something in a TLS context.
static inline int COpenSSL_keep(void *tls_context, int place, void *kept) {
    return SSL_CTX_set_ex_data((SSL_CTX *)tls_context, place, kept);
}

/// How many certificates the server has sent, its own first.
static inline int COpenSSL_sent_count(X509_STORE_CTX *store) {
    return sk_X509_num(X509_STORE_CTX_get0_untrusted(store));
}

/// One of the certificates that the server has sent.
static inline X509 *_Nullable COpenSSL_sent(X509_STORE_CTX *store, int index) {
    return sk_X509_value(X509_STORE_CTX_get0_untrusted(store), index);
}

/// How many certificates the chain has that was verified, as far as one was built.
static inline int COpenSSL_chain_count(X509_STORE_CTX *store) {
    STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(store);
    return chain ? sk_X509_num(chain) : 0;
}

/// One certificate of that chain, the server's own first.
static inline X509 *_Nullable COpenSSL_chain(X509_STORE_CTX *store, int index) {
    return sk_X509_value(X509_STORE_CTX_get0_chain(store), index);
}

#pragma clang assume_nonnull end

#endif
