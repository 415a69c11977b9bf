// What Swift cannot import of GStreamer: functions with variable arguments, and macros.
#pragma once
#include <gst/gst.h>

static inline void CHalfTunes_set_string(void *_Nonnull object, const char *_Nonnull name, const char *_Nonnull value) {
  g_object_set(object, name, value, NULL);
}

static inline void CHalfTunes_set_object(void *_Nonnull object, const char *_Nonnull name, void *_Nullable value) {
  g_object_set(object, name, value, NULL);
}

static inline GstMessageType CHalfTunes_message_type(GstMessage *_Nonnull message) {
  return GST_MESSAGE_TYPE(message);
}

static inline gboolean CHalfTunes_is_from(GstMessage *_Nonnull message, void *_Nonnull object) {
  return (void *)GST_MESSAGE_SRC(message) == object;
}
