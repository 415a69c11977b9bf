import Testing

@testable import FerryCommand

/// The help of every command, word for word.
@Suite(.timeLimit(.minutes(5))) struct HelpTests {
    private func expectHelp(
        of command: String,
        _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let run = await CommandLineRun("\(command) --help")
        #expect(run.output == text + "\n", sourceLocation: sourceLocation)
        #expect(run.error == "", sourceLocation: sourceLocation)
        #expect(run.code == .success, sourceLocation: sourceLocation)
    }

    @Test(arguments: [[], ["get"], ["hooks", "remove"], ["daemon", "status"]])
    func `help before the command and after it is the same`(path: [String]) async {
        let line = path.joined(separator: " ")
        let before = await CommandLineRun("help \(line)")
        let after = await CommandLineRun("\(line) -h")
        #expect(before.output == after.output)
        #expect(before.code == .success)
    }

    @Test func `no line of any help is longer than a small terminal is wide`() {
        func check(_ syntax: CommandSyntax, path: [String]) {
            for line in HelpText(syntax, path: path).text.split(separator: "\n") {
                #expect(line.count <= 80, "\(line)")
            }
            for subcommand in syntax.subcommands {
                check(subcommand, path: path + [subcommand.name])
            }
        }
        check(Program.syntax, path: [])
    }

    @Test func `ferry --help`() async {
        await expectHelp(
            of: "",
            """
            Usage: ferry COMMAND

            Download and upload in the background, and see what is under way.

            Commands:
              get       download files, also when this command ends before they are complete
              put       upload files, also when this command ends before they are sent
              list      show the transfers of all applications
              top       show all transfers on a full screen, and act on them
              history   show the transfers that have ended
              watch     follow transfers until they are over
              pause     stop transfers until they are resumed
              resume    resume paused transfers
              cancel    end transfers for good
              priority  have transfers come earlier or later than others
              limit     limit how fast transfers may be, all together or some of them
              relink    continue a transfer from a new URL
              why       explain the state of a transfer
              log       show ferryd's log
              hooks     show the programs that ferryd may start
              quit      cancel all transfers of an application, and do not start it
              config    show ferryd's settings, and where each is from
              daemon    show or stop ferryd, or have it read its settings again

            Options:
                  --version  show the version, and that of the interface to ferryd
              -h, --help     show this help

            Transfers belong to ferryd, which starts when it is needed: they continue when
            this program, its terminal or its session ends, and after a crash or a reboot.

            Each --json writes one JSON object a line.

            Exit codes:
              0    done
              1    the command could not be carried out, or transfers failed for several
                   reasons
              2    the arguments make no sense; nothing was done
              3    there is no such task, application or hook
              4    ferryd could not be started or reached
              5    a file could not be saved or read
              6    a server could not be reached, or the connection was lost
              7    TLS failed, such as by a certificate that is not trusted
              8    a server answered with an error
              9    a file does not have its digest, or is damaged
              130  stopped by Ctrl-C; transfers continue in ferryd
            """
        )
    }

    @Test func `ferry get --help`() async {
        await expectHelp(
            of: "get",
            """
            Usage: ferry get [options] [URL...]

            Download files, also when this command ends before they are complete.

            Files:
              -i, --input-file FILE                     download the URLs in this list, too;
                                                        '-' is standard input
              -M, --metalink FILE                       download what this Metalink file or
                                                        URL describes, from all mirrors that
                                                        it names
              -o, --output PATH                         save the file under this name; '#1'
                                                        in it is what the URL's first range
                                                        or set stands for
              -d, --directory DIR                       save the files in this directory
                                                        (default: the current one)
              -c, --continue                            continue what curl, wget, aria2 or a
                                                        browser has loaded of the file; the
                                                        whole takes its place
                  --overwrite                           replace a file that has the name,
                                                        unless it was changed after this
                                                        command began
                  --skip-existing                       leave out a file whose name is
                                                        there, or is when the file is
                                                        complete
              -N, --newer                               replace a file that is there only by
                                                        a newer one of the server; implies
                                                        --remote-time
              -R, --remote-time                         give the file the time at which the
                                                        server's was last changed
                  --xattr                               store the URL and the media type
                                                        with the file, as extended
                                                        attributes
                  --force-directories                   save the file in a directory named
                                                        after the host, and in those of the
                                                        URL's path
                  --trust-server-names                  name the file after the URL that
                                                        redirects led to
                  --content-on-error                    save what comes with a status of 400
                                                        or more, too; the transfer has
                                                        failed all the same
                  --checksum NAME=DIGITS                save the file only with this digest,
                                                        such as sha-256=9f86… (only with one
                                                        URL)
                  --mirror URL                          load parts from here as well (only
                                                        with one URL)
                  --max-filesize SIZE                   give up a file that is longer than
                                                        this, such as 500k or 2GiB
                  --checksums FILE                      save each file only with the digest
                                                        that this file or URL has for it,
                                                        such as SHA256SUMS
              -g, --globoff                             take brackets and braces in a URL as
                                                        they are
              -I, --head                                show the header of the response
                                                        alone, and download nothing

            Requests:
              -X, --request METHOD                      make the request by this method
              -H, --header 'NAME: VALUE'                send this header field, or those in
                                                        the lines of @FILE; not to another
                                                        server after a redirect
              -A, --user-agent NAME                     send this as the name of the program
              -e, --referer URL                         send this as the address of the page
                                                        with the link
              -u, --user NAME:PASSWORD                  log in to the server with this name
                                                        and password, by the Basic scheme; a
                                                        password that is missing is asked
                                                        for
              -n, --netrc                               log in with the name and password
                                                        that ~/.netrc has for the server
                  --netrc-file FILE                     the same with this file
              -b, --cookie 'NAME=VALUE'                 send these cookies, or those that a
                                                        file in Netscape's format has for
                                                        the URL and its redirects
                  --junk-session-cookies                leave out those of a file of cookies
                                                        that end with the session
                  --no-cookies                          do not send a cookie of a redirect
                                                        back within its transfer
                  --data DATA                           send this by POST, as forms are
                                                        sent, and only once unless --retries
                                                        says otherwise; '@FILE' is the
                                                        content of a file, of at most 1 MiB
                  --data-urlencode NAME=VALUE           the same, with the value encoded as
                                                        a URL needs it; 'NAME@FILE' has that
                                                        of a file
              -F, --form NAME=VALUE                     send a form in several parts
                                                        (multipart/form-data); 'NAME=@FILE'
                                                        sends a file, with ';type=TYPE'
                                                        after it one of that type
              -G, --get                                 put what --data and --data-urlencode
                                                        say into the URL, and send nothing
                  --url-query NAME=VALUE                add this to the query of the URL,
                                                        with the value encoded
                  --cookie-jar FILE                     add the cookies that servers set to
                                                        this file, for --cookie

            Speed and failures:
              -j, --parallel N                          transfer at most N files at a time
                                                        (default: as ferry.conf says)
                  --per-host N                          transfer at most N files with a
                                                        server at a time (default: as
                                                        ferry.conf says)
                  --connections N                       load each file by up to N
                                                        connections, 1 to 16 (default: 4)
                  --min-speed RATE                      try again when fewer bytes per
                                                        second arrive over a connection
                                                        during --timeout
                  --limit-rate RATE                     transfer each file no faster than
                                                        this, such as 500k or 2M bytes per
                                                        second; k is 1000
                  --retries N                           give up a file after N failures in a
                                                        row
                  --retry-delay TIME                    wait up to this long after a
                                                        failure, and longer after each
                                                        further one (default: 1s)
                  --retry-on STATUS                     try again after these statuses as
                                                        well, such as 403,404 or 400-499
                  --timeout TIME                        try again when nothing has arrived
                                                        for this time (default: 60s)
                  --connect-timeout TIME                try again when a connection takes
                                                        longer than 5s, 2m … (default: 15s)
                  --max-redirs N                        follow up to N redirects in a row
                                                        (default: 20)
                  --give-up-after TIME                  give up a file that is not complete
                                                        after 90s, 30m, 12h, 3d … (default:
                                                        7d)

            Connections:
                  --https-only                          refuse URLs of http, and redirects
                                                        to them
              -k, --insecure                            accept any certificate of a server,
                                                        so that nobody knows who it is
              -x, --proxy URL                           go through this proxy, such as
                                                        http://user:password@host:3128 or
                                                        socks5h://host
                  --noproxy HOSTS                       go to these hosts directly, such as
                                                        'localhost,.example.com,10.0.0.0/8'
                                                        or '*'
                  --proxytunnel                         ask the proxy for a tunnel to http
                                                        servers, too
                  --proxy-header 'NAME: VALUE'          send this header field to the proxy,
                                                        and not to the server
                  --cacert FILE                         trust the authorities in this PEM
                                                        file, and no others
                  --cert FILE                           show the server this certificate, in
                                                        PEM or PKCS #12
                  --key FILE                            the key of --cert, in PEM, where it
                                                        is in a file of its own
                  --pass-file FILE                      the first line of this file is the
                                                        passphrase of --key
                  --pinnedpubkey sha256//DIGITS         accept only servers whose key has
                                                        this SHA-256 in base64, or one of
                                                        several with ';'
                  --tls-min VERSION                     use this version of TLS or a newer
                                                        one, 1.2 or 1.3 (default: 1.2)
                  --tls-max VERSION                     use this version of TLS or an older
                                                        one
                  --ciphers LIST                        use these ciphers up to TLS 1.2, as
                                                        'openssl ciphers' names them
              -4, --ipv4                                use addresses of version 4 alone
              -6, --ipv6                                use addresses of version 6 alone
                  --interface NAME                      connect from this interface, such as
                                                        eth0, or from this address of the
                                                        machine
                  --local-port N-M                      connect from one of these ports
                  --resolve HOST:PORT:ADDRESS           use this address, or several with
                                                        commas between them, without a
                                                        lookup of the host's name
                  --connect-to HOST1:PORT1:HOST2:PORT2  connect to the second server in
                                                        place of the first one
                  --unix-socket PATH                    connect to this UNIX socket in place
                                                        of the server

            Conditions and output:
                  --keep-awake                          keep the machine from sleeping by
                                                        itself meanwhile
                  --unmetered-only                      wait while the network is metered or
                                                        cellular
                  --when-idle                           wait for mains power, an unmetered
                                                        network and the hours of 'ferry
                                                        limit' for discretionary transfers
                  --exec COMMAND                        run this by the shell after each
                                                        file, in its directory
                  --fail-early                          cancel the other files as soon as
                                                        one has failed
                  --pause                               begin nothing until 'ferry resume';
                                                        implies --detach
                  --detach                              do not wait; show the transfers' IDs
                  --json                                write JSON for programs
              -v, --verbose                             show what was said with the server,
                                                        when a file has ended; without
                                                        secrets
              -q, --quiet                               show only what goes wrong
              -h, --help                                show this help

            Ctrl-C leaves the transfers running; 'ferry watch ID' comes back to them.
            Finished files are saved with or without a ferry command running, each when it
            is complete.

            What fails is tried again for a week, or as long as --give-up-after says. If a
            server has not answered yet, for example because its name does not exist or it
            refuses connections, it is asked 5 times, which takes about 10 seconds, or about
            90 if it does not respond at all and --connect-timeout is not set; with --detach
            and after Ctrl-C, for a week. One that answers only that it is not available, by
            a status of 408, 429 or 500 and more, is asked 11 times, which takes about 10
            minutes. --retries sets the number for all of these cases. Attempts without a
            network do not count.

            A file never replaces another unless --overwrite or --newer says so: when NAME
            is taken it becomes NAME.1, NAME.2 and so on. What is replaced is there until
            the new file is complete. A file that cannot be saved where it belongs is kept
            in ~/.local/share/ferry/unplaced. A status of 400 or more is a failure; 501, 505
            and those below 500 other than 408 and 429 are final at once.

            What is here is kept: once bytes have come, neither an error response nor a
            login page in their place ends a transfer. It is asked for again until
            --give-up-after. If its link has expired, 'ferry relink' continues it from
            another one; 'ferry why ID' tells. The same command continues a file that was
            given up.

            A URL may have ranges and sets, as curl has them: '[1-9]', '[001-100]', '[a-z]',
            '[0-100:10]', '{one,two}'. Quote it, so that the shell does not read them.

            A list has a URL in each line, or a URL, a tab and the file's name, or several
            URLs of one file with tabs between them. The lines after it that begin with a
            blank have its options, as aria2 has them: 'output=NAME',
            'checksum=sha-256=9f86…', 'header=NAME: VALUE'. What the command line says holds
            for all of them. Empty lines, and those that begin with '#', are left out. If a
            line is invalid, nothing is downloaded.

            '--output -' writes the bytes to standard output in order and as they come; a
            pipe or a device as PATH gets them, too. This command loads them itself, and
            they end with it. A broken connection is continued where it broke.

            Without --proxy, --noproxy and --cacert the variables http_proxy, https_proxy,
            all_proxy, no_proxy, CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR count, as
            for curl. A password in an argument can be seen by every user of this machine;
            one in a variable cannot.

            --exec runs a command after each file, also when this command has ended; without
            it, the one that 'exec-after' in ferry.conf names. It has the variables
            FERRY_STATE (saved, unchanged, sent, cancelled or failed), FERRY_FILE (the path
            of the file; empty if there is none), FERRY_URL (the URL, without a password),
            FERRY_REASON (why it failed; empty if it did not). It is not waited for, and may
            run again after a crash.

            When standard output is no terminal, it gets the path of each saved file.
            """
        )
    }

    @Test func `ferry put --help`() async {
        await expectHelp(
            of: "put",
            """
            Usage: ferry put [options] FILE... URL

            Upload files, also when this command ends before they are sent.

            Files:
                  --resumable PROTOCOL                  continue an upload by this protocol:
                                                        auto, draft, tus or off (default:
                                                        auto)
                  --content-type TYPE                   send this as the files' media type
                                                        (default: application/octet-stream)

            Requests:
              -X, --request METHOD                      make the request by this method
              -H, --header 'NAME: VALUE'                send this header field, or those in
                                                        the lines of @FILE; not to another
                                                        server after a redirect
              -A, --user-agent NAME                     send this as the name of the program
              -e, --referer URL                         send this as the address of the page
                                                        with the link
              -u, --user NAME:PASSWORD                  log in to the server with this name
                                                        and password, by the Basic scheme; a
                                                        password that is missing is asked
                                                        for
              -n, --netrc                               log in with the name and password
                                                        that ~/.netrc has for the server
                  --netrc-file FILE                     the same with this file
              -b, --cookie 'NAME=VALUE'                 send these cookies, or those that a
                                                        file in Netscape's format has for
                                                        the URL and its redirects
                  --junk-session-cookies                leave out those of a file of cookies
                                                        that end with the session
                  --no-cookies                          do not send a cookie of a redirect
                                                        back within its transfer
                  --cookie-jar FILE                     add the cookies that servers set to
                                                        this file, for --cookie

            Speed and failures:
              -j, --parallel N                          transfer at most N files at a time
                                                        (default: as ferry.conf says)
                  --per-host N                          transfer at most N files with a
                                                        server at a time (default: as
                                                        ferry.conf says)
                  --limit-rate RATE                     transfer each file no faster than
                                                        this, such as 500k or 2M bytes per
                                                        second; k is 1000
                  --retries N                           give up a file after N failures in a
                                                        row
                  --retry-delay TIME                    wait up to this long after a
                                                        failure, and longer after each
                                                        further one (default: 1s)
                  --retry-on STATUS                     try again after these statuses as
                                                        well, such as 403,404 or 400-499
                  --timeout TIME                        try again when nothing has arrived
                                                        for this time (default: 60s)
                  --connect-timeout TIME                try again when a connection takes
                                                        longer than 5s, 2m … (default: 15s)
                  --max-redirs N                        follow up to N redirects in a row
                                                        (default: 20)
                  --give-up-after TIME                  give up a file that is not complete
                                                        after 90s, 30m, 12h, 3d … (default:
                                                        7d)

            Connections:
                  --https-only                          refuse URLs of http, and redirects
                                                        to them
              -k, --insecure                            accept any certificate of a server,
                                                        so that nobody knows who it is
              -x, --proxy URL                           go through this proxy, such as
                                                        http://user:password@host:3128 or
                                                        socks5h://host
                  --noproxy HOSTS                       go to these hosts directly, such as
                                                        'localhost,.example.com,10.0.0.0/8'
                                                        or '*'
                  --proxytunnel                         ask the proxy for a tunnel to http
                                                        servers, too
                  --proxy-header 'NAME: VALUE'          send this header field to the proxy,
                                                        and not to the server
                  --cacert FILE                         trust the authorities in this PEM
                                                        file, and no others
                  --cert FILE                           show the server this certificate, in
                                                        PEM or PKCS #12
                  --key FILE                            the key of --cert, in PEM, where it
                                                        is in a file of its own
                  --pass-file FILE                      the first line of this file is the
                                                        passphrase of --key
                  --pinnedpubkey sha256//DIGITS         accept only servers whose key has
                                                        this SHA-256 in base64, or one of
                                                        several with ';'
                  --tls-min VERSION                     use this version of TLS or a newer
                                                        one, 1.2 or 1.3 (default: 1.2)
                  --tls-max VERSION                     use this version of TLS or an older
                                                        one
                  --ciphers LIST                        use these ciphers up to TLS 1.2, as
                                                        'openssl ciphers' names them
              -4, --ipv4                                use addresses of version 4 alone
              -6, --ipv6                                use addresses of version 6 alone
                  --interface NAME                      connect from this interface, such as
                                                        eth0, or from this address of the
                                                        machine
                  --local-port N-M                      connect from one of these ports
                  --resolve HOST:PORT:ADDRESS           use this address, or several with
                                                        commas between them, without a
                                                        lookup of the host's name
                  --connect-to HOST1:PORT1:HOST2:PORT2  connect to the second server in
                                                        place of the first one
                  --unix-socket PATH                    connect to this UNIX socket in place
                                                        of the server

            Conditions and output:
                  --keep-awake                          keep the machine from sleeping by
                                                        itself meanwhile
                  --unmetered-only                      wait while the network is metered or
                                                        cellular
                  --when-idle                           wait for mains power, an unmetered
                                                        network and the hours of 'ferry
                                                        limit' for discretionary transfers
                  --exec COMMAND                        run this by the shell after each
                                                        file, in its directory
                  --fail-early                          cancel the other files as soon as
                                                        one has failed
                  --pause                               begin nothing until 'ferry resume';
                                                        implies --detach
                  --detach                              do not wait; show the transfers' IDs
                  --json                                write JSON for programs
              -v, --verbose                             show what was said with the server,
                                                        when a file has ended; without
                                                        secrets
              -q, --quiet                               show only what goes wrong
              -h, --help                                show this help

            Files are sent by PUT unless --request names another method. If URL ends with
            '/', each file's name is added to it; several files need such a URL. Ctrl-C
            leaves the transfers running; 'ferry watch ID' comes back to them. Files must
            stay as they are until they are sent: the upload of one that is changed or
            removed fails, unless it is so small that ferryd has a copy.

            A server that offers the IETF's draft "Resumable Uploads for HTTP" continues an
            upload where it stopped, also after a crash or a reboot; elsewhere it starts
            over. With '--resumable tus', URL is where a tus server creates uploads.

            What fails is tried again for a week, or as long as --give-up-after says. If a
            server has not answered yet, for example because its name does not exist or it
            refuses connections, it is asked 5 times, which takes about 10 seconds, or about
            90 if it does not respond at all and --connect-timeout is not set; with --detach
            and after Ctrl-C, for a week. One that answers only that it is not available, by
            a status of 408, 429 or 500 and more, is asked 11 times, which takes about 10
            minutes. --retries sets the number for all of these cases. Attempts without a
            network do not count.

            Without --proxy, --noproxy and --cacert the variables http_proxy, https_proxy,
            all_proxy, no_proxy, CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR count, as
            for curl. A password in an argument can be seen by every user of this machine;
            one in a variable cannot.

            --exec runs a command after each file, also when this command has ended; without
            it, the one that 'exec-after' in ferry.conf names. It has the variables
            FERRY_STATE (saved, unchanged, sent, cancelled or failed), FERRY_FILE (the path
            of the file; empty if there is none), FERRY_URL (the URL, without a password),
            FERRY_REASON (why it failed; empty if it did not). It is not waited for, and may
            run again after a crash.

            What the server answers is written to standard output. A status of 400 or more
            is a failure.
            """
        )
    }

    @Test func `ferry list --help`() async {
        await expectHelp(
            of: "list",
            """
            Usage: ferry list [options]

            Show the transfers of all applications.

            Options:
              -a, --all       those that have ended, too
                  --limit N   show at most N of them; 100 on a terminal
                  --after ID  begin after this one; with --limit, the next page
                  --json      write JSON for programs
              -h, --help      show this help

            With --all it also shows what has ended: the last 1000 transfers, or as many as
            'history' in ferry.conf says, behind those whose applications have not taken
            their files yet.

            On a terminal the state has a color. NO_COLOR=1 or CLICOLOR=0 in the environment
            means none, CLICOLOR_FORCE=1 one also where there is no terminal.
            """
        )
    }

    @Test func `ferry top --help`() async {
        await expectHelp(
            of: "top",
            """
            Usage: ferry top

            Show all transfers on a full screen, and act on them.

            Options:
              -h, --help  show this help

            The list is kept up to date. Keys act on the selected transfer: p pauses and
            resumes it, + and - change its priority, l limits its rate, w tells what it
            waits for, u loads it from another URL, x cancels it. ? shows all keys.
            Transfers go on when the screen is left.

            Colors are those of the terminal; with NO_COLOR=1 or CLICOLOR=0 in the
            environment there are none.
            """
        )
    }

    @Test func `ferry watch --help`() async {
        await expectHelp(
            of: "watch",
            """
            Usage: ferry watch [options] [ID...]

            Follow transfers until they are over.

            Options:
              -a, --all   all transfers of all applications
                  --json  write JSON for programs
              -h, --help  show this help

            Without an ID it follows all of them. Ctrl-C ends the watching, not the
            transfers. Of one that has ended already it says what became of it, and exits as
            if it had watched that; ferryd remembers the last 1000.

            @ID stands for all transfers of the 'ferry get' that the transfer with this ID
            belongs to, such as those of a list.
            """
        )
    }

    @Test func `ferry pause --help`() async {
        await expectHelp(
            of: "pause",
            """
            Usage: ferry pause [options] [ID...]

            Stop transfers until they are resumed.

            Options:
              -a, --all   all transfers of all applications
              -h, --help  show this help

            @ID stands for all transfers of the 'ferry get' that the transfer with this ID
            belongs to, such as those of a list.
            """
        )
    }

    @Test func `ferry priority --help`() async {
        await expectHelp(
            of: "priority",
            """
            Usage: ferry priority PRIORITY ID...

            Have transfers come earlier or later than others.

            Options:
              -h, --help  show this help

            PRIORITY is from 0 to 1; 0.5 is the default. Under a limit for all transfers,
            one of 1 gets four times as much as one of 0.5, and one of 0 a quarter of that.

            @ID stands for all transfers of the 'ferry get' that the transfer with this ID
            belongs to, such as those of a list.
            """
        )
    }

    @Test func `ferry limit --help`() async {
        await expectHelp(
            of: "limit",
            """
            Usage: ferry limit [options] [RATE [ID...]]

            Limit how fast transfers may be, all together or some of them.

            Options:
              -u, --upload RATE  limit what is sent as well
                  --remove RULE  remove a rule, by its number or its words
                  --json         write JSON for programs
              -h, --help         show this help

            RATE is in bytes per second: 500k, 2M, 1.5MiB. 'none' takes a limit away.
            Without IDs it holds for all transfers together, from now on and also after a
            restart; with IDs for each of them.

            A rule for some hours of the week may take the place of RATE:

            'ferry limit Mon-Fri 08:00-18:00 512k' limits all transfers together then, in
            both directions; '1M down 200k up' limits each. The lowest of all limits holds.

            'ferry limit daily 22:00-06:00 discretionary' keeps discretionary work to such
            hours. 'ferry limit background urgent' exempts what apps begin in the
            background.

            Without arguments it shows the limits and the rules, and what holds now. The
            rules are in ~/.config/ferry/timetable, one in each line, which may be edited;
            see ferry-timetable(5).
            """
        )
    }

    @Test func `ferry relink --help`() async {
        await expectHelp(
            of: "relink",
            """
            Usage: ferry relink URL ID

            Continue a transfer from a new URL.

            Options:
              -h, --help  show this help

            For links that have expired. What is loaded is kept if the new address proves to
            have the same file: as long as the old one, and with the same last 64 KiB of
            what is there. Otherwise the transfer begins anew. Header fields other than
            Accept and the like stay with the server that they were given for.
            """
        )
    }

    @Test func `ferry resume --help`() async {
        await expectHelp(
            of: "resume",
            """
            Usage: ferry resume [options] [ID...]

            Resume paused transfers.

            Options:
                  --now   let them run whatever the network, the power and the hour are
              -a, --all   all transfers of all applications
              -h, --help  show this help

            @ID stands for all transfers of the 'ferry get' that the transfer with this ID
            belongs to, such as those of a list.
            """
        )
    }

    @Test func `ferry cancel --help`() async {
        await expectHelp(
            of: "cancel",
            """
            Usage: ferry cancel [options] [ID...]

            End transfers for good.

            Options:
              -a, --all   all transfers of all applications
              -h, --help  show this help

            @ID stands for all transfers of the 'ferry get' that the transfer with this ID
            belongs to, such as those of a list.
            """
        )
    }

    @Test func `ferry why --help`() async {
        await expectHelp(
            of: "why",
            """
            Usage: ferry why [options] ID

            Explain the state of a transfer.

            Options:
                  --json  write JSON for programs
              -h, --help  show this help

            Of one that has ended it says what became of it: ferryd remembers the last 1000.
            """
        )
    }

    @Test func `ferry log --help`() async {
        await expectHelp(
            of: "log",
            """
            Usage: ferry log [options] [ID]

            Show ferryd's log.

            Options:
              -n, --lines N  show the last N lines (default: 100)
              -f, --follow   wait for more
                  --files    show what happened to the files of 'ferry get' while no command
                             was running
              -h, --help     show this help

            With an ID it shows only what is about that transfer.
            """
        )
    }

    @Test func `ferry hooks --help`() async {
        await expectHelp(
            of: "hooks",
            """
            Usage: ferry hooks [options]
                   ferry hooks remove APPLICATION

            Show the programs that ferryd may start.

            Commands:
              remove  keep ferryd from starting a program

            Options:
                  --json  write JSON for programs
              -h, --help  show this help

            ferryd starts a program when all transfers of one of its background sessions are
            over.
            """
        )
    }

    @Test func `ferry hooks remove --help`() async {
        await expectHelp(
            of: "hooks remove",
            """
            Usage: ferry hooks remove APPLICATION

            Keep ferryd from starting a program.

            Options:
              -h, --help  show this help

            Its transfers continue; their files wait until something else starts it.
            """
        )
    }

    @Test func `ferry quit --help`() async {
        await expectHelp(
            of: "quit",
            """
            Usage: ferry quit APPLICATION

            Cancel all transfers of an application, and do not start it.

            Options:
              -h, --help  show this help

            ferryd does not start the application until something else has. 'ferry hooks'
            shows the applications' names.
            """
        )
    }

    @Test func `ferry daemon --help`() async {
        await expectHelp(
            of: "daemon",
            """
            Usage: ferry daemon COMMAND

            Show or stop ferryd, or have it read its settings again.

            Commands:
              status  show how ferryd is doing
              reload  reload ferry.conf without stopping transfers
              stop    stop ferryd; transfers continue when it starts again

            Options:
              -h, --help  show this help
            """
        )
    }

    @Test func `ferry daemon status --help`() async {
        await expectHelp(
            of: "daemon status",
            """
            Usage: ferry daemon status [options]

            Show how ferryd is doing.

            Options:
                  --json  write JSON for programs
              -h, --help  show this help

            Never starts it; exits with 4 when it is not running.
            """
        )
    }

    @Test func `ferry daemon reload --help`() async {
        await expectHelp(
            of: "daemon reload",
            """
            Usage: ferry daemon reload

            Reload ferry.conf without stopping transfers.

            Options:
              -h, --help  show this help

            New limits hold at once, also for transfers that run; the other settings hold
            for what begins from then on. A line that cannot be used is told, with exit code
            1; the other lines hold.

            Never starts ferryd, which reads the files when it starts; exits with 4 when it
            is not running.
            """
        )
    }

    @Test func `ferry config --help`() async {
        await expectHelp(
            of: "config",
            """
            Usage: ferry config [options]

            Show ferryd's settings, and where each is from.

            Options:
                  --json  write JSON for programs
              -h, --help  show this help

            The settings are in ~/.config/ferry/ferry.conf, /etc/xdg/ferry/ferry.conf and
            /etc/ferry/ferry.conf, see ferry.conf(5). A setting in one of these files beats
            the same one in those behind it.

            What ferryd's own options say beats all files, and so does 'ferry limit' for the
            rates.

            'ferry daemon reload' has ferryd read the files again.
            """
        )
    }

    @Test func `ferry daemon stop --help`() async {
        await expectHelp(
            of: "daemon stop",
            """
            Usage: ferry daemon stop

            Stop ferryd; transfers continue when it starts again.

            Options:
              -h, --help  show this help

            Returns when ferryd has ended. The next program that needs it starts it.
            """
        )
    }

    @Test func `ferry background-events --help`() async {
        await expectHelp(
            of: "background-events",
            """
            Usage: ferry background-events

            Take finished files; ferryd calls it.

            Options:
              -h, --help  show this help
            """
        )
    }

    @Test func `ferry complete --help`() async {
        await expectHelp(
            of: "complete",
            """
            Usage: ferry complete [WORD...]

            Tell a shell what may come next; its completions call it.

            Options:
              -h, --help  show this help

            The words are those after 'ferry', as far as the cursor; the last one may be
            empty. The first line says what fits: files, directories, or the words in the
            other lines, each with a tab and its meaning behind it. ferryd is asked for its
            transfers if it runs, and not started.
            """
        )
    }

    @Test func `ferry manual --help`() async {
        await expectHelp(
            of: "manual",
            """
            Usage: ferry manual DIR

            Write the pages of the manual into a directory; 'make install' calls it.

            Options:
              -h, --help  show this help

            The pages have the date that the variable SOURCE_DATE_EPOCH says, or else that
            of today.
            """
        )
    }
}
