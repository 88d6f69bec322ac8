package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/orgcopy"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

func (p program) serve() command {
	s := &serving{p: p}
	return command{
		name: "serve", summary: "run the sandbox until interrupted", alone: true,
		about: `Runs the sandbox until SIGINT or SIGTERM. When it is ready it prints its addresses and the exports that
point the provider at it, or writes the exports to --env-file. The exports contain tokens: only you can
read the file. It is removed at the start, before anything else, and at the end, so that a script can wait
for it.

A seed file is a JSON object of the lists plans, products, prices, customers, billing_accounts,
subscriptions, webhook_endpoints and api_keys, and of an object finance with a list for each of its
collections. Each element is the body of the service's own create operation, and is validated as such.
Where an id is not known yet, "external_id=CODE" stands for it: in the billing_account_id of a
subscription, and in the customer.id of an account. A webhook endpoint may have a "secret" and an API key a
"token", so that tests know them. A seed replaces the example data of financial management. If the state
file has been used before, the seed is ignored until "{sandbox} reset".
`,
		examples: `{sandbox} serve --env-file sandbox.env
{sandbox} serve --env-file sandbox.ps1 --env-format powershell
{sandbox} serve --state sandbox.db --seed-file seed.json
{sandbox} serve --clock 2026-01-31T12:00:00Z --seed 1 --max-per-page 2
{sandbox} serve --addr 0.0.0.0 --host billing-sandbox --token billing=token-for-tests
{sandbox} serve --verbose --fault operation=customers.create,status=503,times=1
echo '{"customers":[{"name":"Padaria Aurora"}]}' | {sandbox} serve --seed-file -
`,
		actions: []action{{flags: s.flags, run: func(ctx context.Context, _ *controller, _ []string) error {
			if s.detached && p.getenv(asDetached) == "" {
				return s.detach(ctx)
			}
			return s.run(ctx)
		}}},
		groups: []flagGroup{
			{"What it prints", "env-file env-format detach verbose"},
			{"Addresses", "addr host billing-port finance-port collections-port control-port web web-port web-read-only " +
				"plain-http http2 ca-file cors-origin"},
			{"Data and time", "state seed-file copy no-example-data seed clock environment"},
			{"Tokens", "token collections-auth-header"},
			{"What differs from other services", "tolerance rewords fault max-per-page"},
			{"Webhook receivers", "allow-loopback-receivers receiver-ca resolve"},
		},
	}
}

type serving struct {
	p         program
	options   sandbox.Options
	faults    []sandbox.Fault
	seedFile  string
	copyFile  string
	envFile   string
	envFormat string
	verbose   bool
	detached  bool
}

func (s *serving) flags(set *flag.FlagSet) {
	o := &s.options
	set.StringVar(&s.envFile, "env-file", "",
		"write the exports to this `FILE`, in one piece, once ready; removed at the start and at the end")
	s.envFormat = envPOSIX
	choiceFlag(set, &s.envFormat, "env-format", "`FORMAT` of the exports: posix for sh, bash and zsh (default), "+
		"powershell, or github for the file that GITHUB_ENV names", envFormats)
	set.StringVar(&o.Addr, "addr", "127.0.0.1",
		"`HOST` to listen on, which is in the exports; for 0.0.0.0 and ::, 127.0.0.1 is")
	set.Func("host", "`NAME` by which clients reach this machine, such as that of a container, repeatable; the certificate is "+
		"valid for all of them, and the exports contain the first one", func(name string) error {
		o.Hosts = append(o.Hosts, name)
		return hostError(name)
	})
	set.BoolVar(&o.PlainHTTP, "plain-http", false,
		"serve http instead of https, on this machine only; the provider rejects such addresses")
	set.Func("cors-origin", "let scripts of this `ORIGIN`, such as http://localhost:3000, call the sandbox from a browser, "+
		"repeatable; * is any", func(origin string) error {
		o.Origins = append(o.Origins, origin)
		return originError(origin)
	})
	const unset = "; if unset or 0, the one that --state has from the last start, else a free one"
	portFlag(set, &o.BillingPort, "billing-port", "`PORT` of recurring billing"+unset)
	portFlag(set, &o.FinancePort, "finance-port", "`PORT` of financial management"+unset)
	portFlag(set, &o.CollectionsPort, "collections-port", "`PORT` of collections"+unset)
	portFlag(set, &o.ControlPort, "control-port", "`PORT` of the control listener"+unset)
	set.BoolVar(&o.Web, "web", false, "serve a page that shows the contents of the sandbox "+
		"to every user of this machine, with --copy the data of the organization too")
	portFlag(set, &o.WebPort, "web-port", "`PORT` of that page, with or without --web; 0 takes a free one")
	set.BoolFunc("web-read-only", "leave out the forms with which the page moves the clock, sends deliveries again and "+
		"emits events; the page of a copy is without them unless this is false", func(value string) error {
		readOnly, err := strconv.ParseBool(value)
		o.WebReadOnly = &readOnly
		if err != nil {
			return errors.New("must be true or false")
		}
		return nil
	})
	set.StringVar(&o.CAFile, "ca-file", "",
		"write the CA certificate to this `FILE`; if unset, next to the file of --state, or to a temporary file")
	set.StringVar(&o.StateFile, "state", "", "store everything, tokens, ports and clock too, in this `FILE`; if unset, in memory")
	set.StringVar(&s.seedFile, "seed-file", "", "begin with the data of this JSON `FILE`; - is standard input")
	set.Func("token", "a token of your choice, repeatable; `SERVICE=VALUE`, or SERVICE:SCOPES=VALUE for some scopes, such as "+
		"billing:customers:read,invoices:read=VALUE, or control=VALUE; the exports contain the first one of a service "+
		"without scopes", s.settle)
	set.StringVar(&s.copyFile, "copy", "",
		"begin with the organization in this `FILE` of \"{sandbox} copy\", at the time of the copy; no delivery is sent")
	set.BoolVar(&o.NoExampleData, "no-example-data", false, "let financial management begin empty; if unset, and "+
		"without a seed file, it has the accounts, payables and receivables of two companies")
	set.Uint64Var(&o.Seed, "seed", 0,
		"derive ids, tokens and shuffles from this `NUMBER`, so that runs repeat; if unset, they are random")
	set.Func("clock", "stop the clock at this `TIME` (RFC 3339) until it is moved; if unset, it is as --state "+
		"has it, or follows the clock of this machine", func(value string) (err error) {
		o.Start, err = timeOf(value)
		return err
	})
	set.StringVar(&o.Organization.Environment, "environment", "sandbox", "`NAME` that /v1/me returns as environment")
	s.differences(set)
	receiverFlags(set, o)
	set.BoolVar(&s.detached, "detach", false, "return when the sandbox is ready; it runs on until \"{sandbox} stop\"")
	set.BoolVar(&s.verbose, "verbose", false, "show every request on standard error, as \"{sandbox} requests\" does")
}

// hostError rejects a name that a certificate cannot contain.
func hostError(name string) error {
	if net.ParseIP(name) == nil && !hostName.MatchString(name) {
		return errors.New("must be a name or an address, without scheme and port")
	}
	return nil
}

var (
	hostName   = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$`)
	originText = regexp.MustCompile(`^(\*|https?://[^/\s]+)$`)
)

func originError(origin string) error {
	if !originText.MatchString(origin) {
		return errors.New("must be a scheme, a host and perhaps a port, such as http://localhost:3000, or *")
	}
	return nil
}

// settle parses a value of --token.
func (s *serving) settle(spec string) error {
	head, value, _ := strings.Cut(spec, "=")
	service, scopes, limited := strings.Cut(head, ":")
	t := sandbox.SettledToken{Token: sandbox.Token{Service: sandbox.Service(service)}, Value: value}
	if limited {
		t.Scopes = strings.Split(scopes, ",")
	}
	switch {
	case value == "":
		return errors.New("must be SERVICE=VALUE, such as billing=test-token-of-billing")
	case head == "control":
		s.options.ControlToken = value
	case slices.Contains(serviceNames, service):
		s.options.Tokens = append(s.options.Tokens, t)
	default:
		return errors.New("the service is billing, finance, collections or control")
	}
	return nil
}

func portFlag(set *flag.FlagSet, port *int, name, usage string) {
	set.Func(name, usage, func(value string) error {
		n, err := strconv.ParseUint(value, 10, 16)
		if err != nil {
			return errors.New("must be a port from 0 to 65535")
		}
		*port = int(n)
		return nil
	})
}

func (s *serving) differences(set *flag.FlagSet) {
	o := &s.options
	set.IntVar(&o.MaxPerPage, "max-per-page", 100, "largest page of a listing, a `NUMBER`")
	set.BoolVar(&o.HTTP2, "http2", false,
		"offer HTTP/2 too; a fault that drops a connection then resets only the stream of its request")
	set.StringVar(&o.CollectionsAuthHeader, "collections-auth-header", "",
		"`NAME` of the header that carries the bare key of collections; if unset, Authorization: Bearer")
	for name, usage := range map[string]string{"tolerance": "differ from the descriptions",
		"rewords": "store texts otherwise than they were sent"} {
		set.Func(name, usage+", as some services do: a comma-separated `LIST`, see \"{sandbox} help "+name+"\"",
			func(names string) error {
				rules, err := bend.Parse(bend.Flags[name], names)
				o.Bend = append(o.Bend, rules...)
				return err
			})
	}
	set.Func("fault", "add a fault, repeatable; `SPEC` as in \"{sandbox} help fault\"", func(spec string) error {
		fault, err := sandbox.ParseFault(spec)
		s.faults = append(s.faults, fault)
		return err
	})
}

// tell prints requests to standard error as they arrive.
func (p program) tell() func(sandbox.Request) {
	return func(r sandbox.Request) { _ = colored(p.err, requestLine(r, p.colours(p.errTerminal), false)) }
}

func (s *serving) run(ctx context.Context) error {
	options, level := s.options, slog.LevelWarn
	if s.verbose {
		level = slog.LevelDebug
		options.OnRequest = s.p.tell()
	}
	options.Logger = slog.New(slog.NewTextHandler(s.p.err, &slog.HandlerOptions{Level: level}))
	var err error
	file := envFile{path: s.envFile}
	if file.path != "" {
		if err := file.clear(ctx, s.p); err != nil {
			return fmt.Errorf("--env-file: %w", err)
		}
	}
	if options.SeedDocument, err = s.p.readSeed(s.seedFile); err != nil {
		return err
	}
	if err := s.useCopy(&options); err != nil {
		return err
	}
	// The server outlives ctx during Close.
	server, err := sandbox.Start(context.WithoutCancel(ctx), options)
	if err != nil {
		return s.blame(err)
	}
	if server.SeedIgnored() {
		fmt.Fprint(s.p.err, s.p.expand("The state file "+options.StateFile+" has been used before: "+
			cmp.Or(s.seedFile, s.copyFile)+" is ignored until \"{sandbox} reset\".\n"))
	}
	if moved := server.MovedPorts(); len(moved) > 0 {
		fmt.Fprintf(s.p.err, "Ports of the last start are taken, so others are used for %s: load the new exports.\n",
			strings.Join(moved, ", "))
	}
	for _, fault := range s.faults {
		server.AddFault(fault)
	}
	file.content = envLines(s.envFormat, server.Env())
	if err := s.p.announce(ctx, server, file, s.envFormat); err != nil {
		return errors.Join(err, server.Close())
	}
	defer s.p.note(envLines(envPOSIX, server.Env()))()
	select {
	case <-ctx.Done():
	case <-server.Stopped():
	}
	if file.path != "" {
		err = file.remove()
	}
	return errors.Join(err, server.Close())
}

// useCopy initializes the sandbox with a copy.
func (s *serving) useCopy(options *sandbox.Options) error {
	switch {
	case s.copyFile == "":
		return nil
	case s.seedFile != "":
		return misused("--copy and --seed-file exclude each other: a copy has exactly the objects of its organization")
	case !options.Start.IsZero():
		return misused("--copy and --clock exclude each other: the clock of a copy begins at the time of the copy; "+
			"move it with \"%s clock\"", s.p.called())
	}
	options.Copy = func() (io.ReadCloser, error) { return os.Open(s.copyFile) }
	return nil
}

// announce prints the sandbox's address when it is ready. Comments go to standard error, because a GITHUB_ENV file does
// not allow them.
func (p program) announce(ctx context.Context, server *sandbox.Server, file envFile, format string) error {
	if file.path == "" {
		comments := p.out
		if format == envGitHub {
			comments = p.err
		}
		fmt.Fprintln(comments, addresses(server))
		_, err := fmt.Fprint(p.out, file.content)
		return err
	}
	// Another sandbox may have started at the same time.
	if err := errors.Join(file.clear(ctx, p), writeWhole(file.path, file.content)); err != nil {
		return fmt.Errorf("--env-file: %w", err)
	}
	load := ""
	if format == envPOSIX && !strings.ContainsAny(file.path, " '\"$") {
		load = " Load them with \". " + sourced(file.path) + "\"."
	}
	_, err := fmt.Fprintf(p.out, "%s\nThe exports are in %s.%s\n", addresses(server), file.path, load)
	return err
}

// sourced is a path as a shell reads it after a dot: without a slash, it would look for it in PATH.
func sourced(path string) string {
	if strings.ContainsAny(path, "/\\") {
		return path
	}
	return "./" + path
}

func addresses(server *sandbox.Server) string {
	more := ""
	if server.CAFile() != "" {
		more = "#   CA certificate        " + server.CAFile() + "\n"
	}
	if server.WebURL() != "" {
		more += "#   web page              " + server.WebURL() + " (every user of this machine can open it)\n"
	}
	return fmt.Sprintf(`# The sandbox is ready.
#   recurring billing     %s
#   financial management  %s
#   collections           %s
#   control               %s
%s`, server.BillingURL(), server.FinanceURL(), server.CollectionsURL(), server.ControlURL(), more)
}

// readSeed reads the file in --seed-file, or standard input for "-". An empty file is rejected as a likely mistake.
func (p program) readSeed(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	document, err := p.fileOrInput(file)
	if err != nil {
		return nil, misused("--seed-file %s: %v", file, err)
	}
	return document, nil
}

// blame names the argument that prevents the sandbox from starting.
func (s *serving) blame(err error) error {
	var refused *sandbox.SeedError
	var unknown *net.DNSError
	var copied *orgcopy.Error
	var token *sandbox.TokenError
	switch {
	case errors.As(err, &token):
		return misused("--token: %v", token)
	case s.options.PlainHTTP && !sandbox.Loopback(s.options.Addr):
		return misused("--plain-http: %v; leave out --addr %s", err, s.options.Addr)
	case errors.As(err, &copied):
		return fmt.Errorf("--copy %s: %w", s.copyFile, copied)
	case errors.As(err, &refused) && s.seedFile == "-":
		return fmt.Errorf("standard input: %w", refused)
	case errors.As(err, &refused):
		return fmt.Errorf("%s: %w", s.seedFile, refused)
	case errors.As(err, &unknown) || errors.Is(err, syscall.EADDRNOTAVAIL):
		return misused("--addr: this machine has no address %q", s.options.Addr)
	}
	return err
}
