#ifndef FERRY_CWSLAY_SHIM_H
#define FERRY_CWSLAY_SHIM_H

#if !__has_include(<wslay/wslay.h>)
#error "Ferry needs the headers of wslay: apt install libwslay-dev, dnf install wslay-devel, pacman -S wslay, zypper install libwslay-devel (README: System packages)"
#else

#include <wslay/wslay.h>

#pragma clang assume_nonnull begin

// The callbacks are passed in a struct, and are the same for the life of a client.
static inline int CWslay_makeClient(
    wslay_event_context_ptr _Nullable *_Nonnull context,
    ssize_t (*receive)(
        wslay_event_context_ptr, uint8_t *, size_t, int, void *_Nullable),
    ssize_t (*send)(
        wslay_event_context_ptr, const uint8_t *, size_t, int, void *_Nullable),
    int (*makeMask)(wslay_event_context_ptr, uint8_t *, size_t, void *_Nullable),
    void (*didStartFrame)(
        wslay_event_context_ptr,
        const struct wslay_event_on_frame_recv_start_arg *,
        void *_Nullable),
    void (*didReceiveChunk)(
        wslay_event_context_ptr,
        const struct wslay_event_on_frame_recv_chunk_arg *,
        void *_Nullable),
    void (*didReceiveMessage)(
        wslay_event_context_ptr, const struct wslay_event_on_msg_recv_arg *, void *_Nullable),
    void *user
) {
    const struct wslay_event_callbacks callbacks = {
        .recv_callback = receive,
        .send_callback = send,
        .genmask_callback = makeMask,
        .on_frame_recv_start_callback = didStartFrame,
        .on_frame_recv_chunk_callback = didReceiveChunk,
        .on_msg_recv_callback = didReceiveMessage,
    };
    return wslay_event_context_client_init(context, &callbacks, user);
}

// Values of enumerations that have no name in Swift.
static const int CWslay_ERR_WOULDBLOCK = WSLAY_ERR_WOULDBLOCK;
static const int CWslay_ERR_CALLBACK_FAILURE = WSLAY_ERR_CALLBACK_FAILURE;
static const uint8_t CWslay_TEXT_FRAME = WSLAY_TEXT_FRAME;
static const uint8_t CWslay_BINARY_FRAME = WSLAY_BINARY_FRAME;
static const uint8_t CWslay_CONNECTION_CLOSE = WSLAY_CONNECTION_CLOSE;
static const uint8_t CWslay_PING = WSLAY_PING;
static const uint8_t CWslay_PONG = WSLAY_PONG;

#pragma clang assume_nonnull end

#endif
#endif
