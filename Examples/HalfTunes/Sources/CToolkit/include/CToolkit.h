// What Swift cannot import of GTK: functions with variable arguments, and macros.
#pragma once
#include <adwaita.h>

// libdispatch exports these for main loops other than its own, which CFRunLoop's is, too.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *_Null_unspecified message);

static inline void CToolkit_set_accessible_label(GtkWidget *_Nonnull widget, const char *_Nonnull text) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}
