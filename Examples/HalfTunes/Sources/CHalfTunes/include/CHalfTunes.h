// What Swift cannot import of GTK and GStreamer: functions with variable arguments, and macros.
#pragma once
#include <adwaita.h>
#include <gst/gst.h>

// libdispatch exports these for main loops other than its own, which CFRunLoop's is, too.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *_Null_unspecified message);

static inline void CHalfTunes_set_accessible_label(GtkWidget *_Nonnull widget, const char *_Nonnull text) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static inline void CHalfTunes_set_string(void *_Nonnull object, const char *_Nonnull name, const char *_Nonnull value) {
  g_object_set(object, name, value, NULL);
}

static inline void CHalfTunes_set_object(void *_Nonnull object, const char *_Nonnull name, void *_Nullable value) {
  g_object_set(object, name, value, NULL);
}

static inline void CHalfTunes_set_boolean(void *_Nonnull object, const char *_Nonnull name, gboolean value) {
  g_object_set(object, name, value, NULL);
}

static inline GstMessageType CHalfTunes_message_type(GstMessage *_Nonnull message) {
  return GST_MESSAGE_TYPE(message);
}

static inline gboolean CHalfTunes_is_from(GstMessage *_Nonnull message, void *_Nonnull object) {
  return (void *)GST_MESSAGE_SRC(message) == object;
}
