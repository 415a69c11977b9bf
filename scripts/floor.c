// floor files|data LIST DIRECTORY [WIDTH]: downloads the URLs of a list, one a line, by libcurl's event interface and
// epoll: what any client must do, and nothing else. Files are written under another name and renamed; data is collected
// and released. WIDTH requests are under way at once, 16 by default. `make bench PARTS=instructions` counts it beside Ferry.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { MOST_SOCKETS = 65536, MOST_FIELDS = 32, HEAD_SIZE = 4096 };

struct field { char *name, *value; };

struct job {
  CURL *easy;
  const char *url;
  int file;
  char name[256];
  char *data;
  size_t length, capacity;
  // Each field of the response is copied and split, as a client must have it.
  struct field fields[MOST_FIELDS];
  int field_count;
  char head[HEAD_SIZE];
  size_t head_length;
};

static CURLM *multi;
static int poll_descriptor, writes_files;
static long timer = -1, started_files;
static const char *directory;
static char **urls;
static size_t url_count, next_url, done, failed;
static uint32_t watched[MOST_SOCKETS];

static void fail(const char *call) {
  perror(call);
  exit(1);
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
  (void)easy, (void)context, (void)known;
  // A socket stays watched between requests; one that is closed is no longer.
  if (what == CURL_POLL_REMOVE) return 0;
  struct epoll_event event = { .data.fd = socket };
  event.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
  if (watched[socket] == event.events) return 0;
  if (epoll_ctl(poll_descriptor, EPOLL_CTL_MOD, socket, &event) < 0 && errno == ENOENT)
    epoll_ctl(poll_descriptor, EPOLL_CTL_ADD, socket, &event);
  watched[socket] = event.events;
  return 0;
}

static int close_socket(void *context, curl_socket_t socket) {
  (void)context;
  watched[socket] = 0;
  return close(socket);
}

static int set_timer(CURLM *handle, long milliseconds, void *context) {
  (void)handle, (void)context;
  timer = milliseconds;
  return 0;
}

static size_t received(char *bytes, size_t size, size_t count, void *context) {
  struct job *job = context;
  count *= size;
  if (writes_files) {
    if (job->file < 0) {
      snprintf(job->name, sizeof job->name, "%s/.floor-%ld", directory, started_files++);
      job->file = open(job->name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    }
    if (write(job->file, bytes, count) != (ssize_t)count) fail(job->name);
    return count;
  }
  if (job->length + count > job->capacity) {
    job->capacity = (job->length + count) * 2;
    job->data = realloc(job->data, job->capacity);
  }
  memcpy(job->data + job->length, bytes, count);
  job->length += count;
  return count;
}

static size_t received_field(char *bytes, size_t size, size_t count, void *context) {
  struct job *job = context;
  count *= size;
  if (job->head_length + count + 1 > sizeof job->head || job->field_count == MOST_FIELDS) return count;
  char *text = job->head + job->head_length;
  memcpy(text, bytes, count);
  text[count] = 0;
  job->head_length += count + 1;
  char *colon = memchr(text, ':', count);
  job->fields[job->field_count++] = (struct field){ text, colon ? colon + 1 : text };
  return count;
}

static void start(struct job *job) {
  if (next_url == url_count) return;
  if (job->easy) curl_easy_reset(job->easy); else job->easy = curl_easy_init();
  job->url = urls[next_url++];
  job->file = -1;
  job->field_count = 0;
  job->length = job->capacity = job->head_length = 0;
  CURL *easy = job->easy;
  curl_easy_setopt(easy, CURLOPT_URL, job->url);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, job);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, received);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, job);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, received_field);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, job);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 512L << 10);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "floor");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl_multi_add_handle(multi, easy);
}

static void finish_completed(void) {
  int queued;
  for (CURLMsg *message; (message = curl_multi_info_read(multi, &queued));) {
    if (message->msg != CURLMSG_DONE) continue;
    struct job *job;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&job);
    if (message->data.result) {
      fprintf(stderr, "%s: %s\n", job->url, curl_easy_strerror(message->data.result));
      failed++;
    }
    curl_multi_remove_handle(multi, message->easy_handle);
    if (job->file >= 0) {
      char target[512];
      close(job->file);
      snprintf(target, sizeof target, "%s/%s", directory, strrchr(job->url, '/') + 1);
      if (rename(job->name, target)) fail(target);
    }
    free(job->data);
    job->data = NULL;
    done++;
    start(job);
  }
}

static void act(curl_socket_t socket, uint32_t events) {
  int running, readiness = 0;
  if (events & EPOLLIN) readiness |= CURL_CSELECT_IN;
  if (events & EPOLLOUT) readiness |= CURL_CSELECT_OUT;
  if (events & (EPOLLERR | EPOLLHUP)) readiness |= CURL_CSELECT_ERR;
  curl_multi_socket_action(multi, socket, readiness, &running);
}

static void read_list(const char *path) {
  char line[1024];
  size_t capacity = 0;
  FILE *list = fopen(path, "r");
  if (!list) fail(path);
  while (fgets(line, sizeof line, list)) {
    line[strcspn(line, "\n")] = 0;
    if (url_count == capacity) urls = realloc(urls, (capacity = capacity * 2 + 64) * sizeof *urls);
    urls[url_count++] = strdup(line);
  }
  fclose(list);
}

int main(int count, char **words) {
  if (count < 4) {
    fprintf(stderr, "Usage: floor files|data LIST DIRECTORY [WIDTH]\n");
    return 2;
  }
  writes_files = !strcmp(words[1], "files");
  directory = words[3];
  int width = count > 4 ? atoi(words[4]) : 16;
  read_list(words[2]);
  curl_global_init(CURL_GLOBAL_ALL);
  multi = curl_multi_init();
  poll_descriptor = epoll_create1(EPOLL_CLOEXEC);
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)width);
  struct job *jobs = calloc(width, sizeof *jobs);
  for (int index = 0; index < width; index++) start(&jobs[index]);
  struct epoll_event events[64];
  while (done < url_count) {
    int ready = timer == 0 ? 0 : epoll_wait(poll_descriptor, events, 64, (int)timer);
    if (ready == 0) {
      timer = -1;
      act(CURL_SOCKET_TIMEOUT, 0);
    }
    for (int index = 0; index < ready; index++) act(events[index].data.fd, events[index].events);
    finish_completed();
  }
  return failed != 0;
}
