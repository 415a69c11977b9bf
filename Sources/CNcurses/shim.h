#ifndef FERRY_CNCURSES_SHIM_H
#define FERRY_CNCURSES_SHIM_H

#if !__has_include(<ncurses.h>)
#error "Ferry's command needs the headers of ncurses: apt install libncurses-dev, dnf install ncurses-devel, pacman -S ncurses, zypper install ncurses-devel (README: System packages)"
#else

#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <stdbool.h>
#include <stdio.h>

// The screen and its attributes are global variables and macros, which Swift does not import.

// Begins the full screen; false if nothing is known of the terminal.
static inline bool CNcurses_begin(void) {
    if (!newterm(NULL, stdout, stdin)) return false;
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, true);
    nodelay(stdscr, true);
    set_escdelay(50);
    curs_set(0);
    return true;
}

// Uses the terminal's colors on its own background; false if it has none.
static inline bool CNcurses_beginColors(void) {
    if (!has_colors() || start_color() == ERR) return false;
    const bool keeps = use_default_colors() == OK;
    for (short color = 1; color < 8; color++) {
        init_pair(color, color, keeps ? -1 : COLOR_BLACK);
    }
    return true;
}

static inline void CNcurses_end(void) {
    curs_set(1);
    endwin();
}

static inline int CNcurses_lines(void) { return getmaxy(stdscr); }
static inline int CNcurses_columns(void) { return getmaxx(stdscr); }

// Takes the terminal's size as the kernel has it.
static inline void CNcurses_resize(int lines, int columns) {
    if (is_term_resized(lines, columns)) resizeterm(lines, columns);
}

// Returns the next key that is there: 0 for a character, 1 for a key with a code, -1 for none.
static inline int CNcurses_key(unsigned int *key) {
    wint_t value = 0;
    const int kind = wget_wch(stdscr, &value);
    *key = value;
    return kind == ERR ? -1 : kind == KEY_CODE_YES ? 1 : 0;
}

static inline void CNcurses_setStyle(short color, bool bold, bool dim, bool reverse) {
    attr_t style = A_NORMAL;
    if (bold) style |= A_BOLD;
    if (dim) style |= A_DIM;
    if (reverse) style |= A_REVERSE;
    attrset(style | COLOR_PAIR(color));
}

static inline void CNcurses_move(int line) {
    move(line, 0);
}

static inline void CNcurses_add(const char *text) { addstr(text); }
static inline void CNcurses_clearRest(void) { clrtoeol(); }
static inline void CNcurses_clearBelow(void) { clrtobot(); }
static inline void CNcurses_show(void) { refresh(); }
// Draws everything anew, over what others have written.
static inline void CNcurses_redraw(void) { clearok(curscr, true); }

enum {
    CNcurses_KEY_UP = KEY_UP, CNcurses_KEY_DOWN = KEY_DOWN, CNcurses_KEY_HOME = KEY_HOME,
    CNcurses_KEY_END = KEY_END, CNcurses_KEY_PPAGE = KEY_PPAGE, CNcurses_KEY_NPAGE = KEY_NPAGE,
    CNcurses_KEY_ENTER = KEY_ENTER, CNcurses_KEY_BACKSPACE = KEY_BACKSPACE, CNcurses_KEY_F0 = KEY_F0,
};

#endif
#endif
