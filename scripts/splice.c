// splice ADDRESS PORT PATH FILE: downloads a file over HTTP from an IPv4 address, by recv(2) up to the end of the head and
// by splice(2) from there on: the least that a client can do for the bytes. `make bench PARTS=http` measures it beside Ferry.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIPE_SIZE = 1 << 20 };

static void require(int holds, const char *what) {
  if (holds) return;
  perror(what);
  exit(1);
}

int main(int count, char **words) {
  if (count != 5) {
    fprintf(stderr, "Usage: splice ADDRESS PORT PATH FILE\n");
    return 2;
  }
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(atoi(words[2])) };
  require(inet_pton(AF_INET, words[1], &address.sin_addr) == 1, words[1]);
  int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  require(connect(connection, (struct sockaddr *)&address, sizeof address) == 0, "connect");
  require(dprintf(connection, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", words[3], words[1]) > 0, "send");

  // The head, and the bytes of the body that have come with it.
  static char head[1 << 16];
  size_t length = 0;
  char *body = NULL;
  while (!body) {
    ssize_t received = recv(connection, head + length, sizeof head - 1 - length, 0);
    require(received > 0, "recv");
    length += received;
    head[length] = 0;
    body = strstr(head, "\r\n\r\n");
  }
  require(!strncmp(head, "HTTP/1.1 200 ", 13), "status");
  body += 4;

  int file = open(words[4], O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600), ends[2];
  require(file >= 0, words[4]);
  ssize_t rest = head + length - body;
  require(write(file, body, rest) == rest, "write");
  require(pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[1], F_SETPIPE_SZ, PIPE_SIZE) > 0, "pipe");
  for (;;) {
    ssize_t filled = splice(connection, NULL, ends[1], NULL, PIPE_SIZE, SPLICE_F_MOVE | SPLICE_F_MORE);
    require(filled >= 0, "splice");
    if (filled == 0) return 0;
    while (filled > 0) {
      ssize_t moved = splice(ends[0], NULL, file, NULL, filled, SPLICE_F_MOVE | SPLICE_F_MORE);
      require(moved > 0, "splice");
      filled -= moved;
    }
  }
}
