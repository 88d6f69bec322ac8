package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// command is selected by the first word of a command line. In its texts, {sandbox} is replaced with the program name
// used.
type command struct {
	name     string
	summary  string // shown in the list of commands
	about    string
	examples string // one per line, ready to paste
	alone    bool   // does not require a running sandbox
	groups   []flagGroup
	actions  []action
}

type action struct {
	// usage lists the words after the command's name. Capitals are values, brackets mark optional or empty words, and
	// trailing dots repeated ones.
	usage string
	flags func(set *flag.FlagSet)
	run   func(ctx context.Context, c *controller, values []string) error
}

// flagGroup is a heading in the help, and the flags below it.
type flagGroup struct{ title, flags string }

// follow parses mixed flags and words, and runs the selected action.
func (p program) follow(ctx context.Context, c command, args []string) error {
	set, own := c.flagSets()
	var words []string
	for {
		if len(args) > 0 && negative.MatchString(args[0]) {
			words, args = append(words, args[0]), args[1:]
			continue
		}
		if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
			p.help(c, set)
			return err
		} else if err != nil {
			return flagError(err, set)
		}
		if set.NArg() == 0 {
			break
		}
		words, args = append(words, set.Arg(0)), set.Args()[1:]
	}
	for i, a := range c.actions {
		values, ok := match(strings.Fields(a.usage), words)
		if !ok {
			continue
		}
		var err error
		set.Visit(func(f *flag.Flag) {
			if own[i].Lookup(f.Name) == nil && err == nil {
				err = misused("%s does not take --%s", words[0], f.Name)
			}
		})
		if err != nil {
			return err
		}
		return a.run(ctx, &controller{p: p}, values)
	}
	return c.unknown(words)
}

// negative matches a number or duration that is not a flag.
var negative = regexp.MustCompile(`^-\d`)

// flagSets returns the flags of all actions combined, and of each action.
func (c command) flagSets() (all *flag.FlagSet, own []*flag.FlagSet) {
	all = flag.NewFlagSet(c.name, flag.ContinueOnError)
	all.SetOutput(io.Discard) // follow prints errors and help
	all.Usage = func() {}
	for _, a := range c.actions {
		set := flag.NewFlagSet(c.name, flag.ContinueOnError)
		if a.flags != nil {
			a.flags(set)
		}
		set.VisitAll(func(f *flag.Flag) {
			if all.Lookup(f.Name) == nil { // actions may share a flag
				all.Var(&given{Value: f.Value, repeatable: strings.Contains(f.Usage, "repeatable")}, f.Name, f.Usage)
			}
		})
		own = append(own, set)
	}
	return all, own
}

const givenTwice = "the flag is given twice"

// given validates a flag on the command line: it appears once unless its usage says repeatable, and numbers are not
// negative.
type given struct {
	flag.Value
	repeatable, before bool
}

func (g *given) Set(text string) error {
	if g.before && !g.repeatable {
		return errors.New(givenTwice)
	}
	g.before = true
	err := g.Value.Set(text)
	vague := err != nil && err.Error() == "parse error"
	number, isNumber := g.Value.(flag.Getter)
	if isNumber {
		n, isInt := number.Get().(int)
		vague = vague || isInt && n < 0
	}
	switch {
	case vague && g.IsBoolFlag():
		return errors.New("must be true or false")
	case vague:
		return errors.New("must be a whole number from 0 up")
	}
	return err
}

// IsBoolFlag tells the flag package which flags need no value.
func (g *given) IsBoolFlag() bool {
	value, ok := g.Value.(interface{ IsBoolFlag() bool })
	return ok && value.IsBoolFlag()
}

var flagName = regexp.MustCompile(`(for flag|not defined:|an argument:|for) -(\w)`)

// flagError converts an error of the flag package to the flag notation of the help.
func flagError(err error, set *flag.FlagSet) error {
	text := flagName.ReplaceAllString(err.Error(), "$1 --$2")
	if before, twice := strings.CutSuffix(text, ": "+givenTwice); twice {
		text = "--" + strings.TrimLeft(before[strings.LastIndex(before, " ")+1:], "-") + " is given twice"
	}
	if _, name, unknown := strings.Cut(text, "not defined: --"); unknown {
		var names []string
		var longer []string // such as --web-port for --port
		set.VisitAll(func(f *flag.Flag) {
			if names = append(names, "--"+f.Name); strings.HasSuffix(f.Name, "-"+name) {
				longer = append(longer, "--"+f.Name)
			}
		})
		text = "no flag --" + name + meant("--"+name, names)
		if len(longer) > 0 {
			text = "no flag --" + name + "; did you mean " + strings.Join(longer, ", ") + "?"
		}
	}
	return misused("%s", text)
}

// match compares words with a usage, and returns the values.
func match(usage, words []string) (values []string, ok bool) {
	if len(usage) == 0 {
		return nil, len(words) == 0
	}
	token := strings.Trim(usage[0], "[].")
	if token != usage[0] && strings.HasPrefix(usage[0], "[") {
		if values, ok := match(usage[1:], words); ok {
			return values, true
		}
	}
	isValue := token == strings.ToUpper(token)
	switch {
	case len(words) == 0 || !isValue && words[0] != token || words[0] == "" && token == usage[0]:
		return nil, false
	case strings.HasSuffix(usage[0], "..."):
		return words, true
	}
	values, ok = match(usage[1:], words[1:])
	if isValue {
		values = append([]string{words[0]}, values...)
	}
	return values, ok
}

// unknown returns the error for words that match no action.
func (c command) unknown(words []string) error {
	var usages []string
	for _, a := range c.actions {
		if a.usage == "" && len(words) > 0 {
			return misused("unexpected %q", words[0])
		}
		usages = append(usages, a.usage)
	}
	hint, verbs := "", c.verbs()
	if len(words) > 0 && !slices.Contains(verbs, words[0]) {
		hint = meant(words[0], verbs)
	}
	last := len(usages) - 1
	expected := strings.TrimPrefix(strings.Join(usages[:last], ", ")+" or "+usages[last], " or ")
	return misused("expected %s%s", expected, hint)
}

// verbs are the words that select an action.
func (c command) verbs() (found []string) {
	for _, a := range c.actions {
		verb, _, _ := strings.Cut(a.usage, " ")
		if verb = strings.Trim(verb, "[]"); verb != "" && verb == strings.ToLower(verb) {
			found = append(found, verb)
		}
	}
	return found
}

func meant(word string, known []string) string {
	if near, ok := sandbox.Nearest(word, known); ok {
		return "; did you mean " + near + "?"
	}
	return ""
}

const environmentText = `
Environment:
  BILLING_SANDBOX_CONTROL_URL, BILLING_SANDBOX_CONTROL_TOKEN, BILLING_CA_CERTIFICATE_FILE
                 identify the running sandbox. "{sandbox} serve" prints them, or writes them to --env-file,
                 together with the addresses and tokens that the provider needs.
  BILLING_SANDBOX_SERVE_FLAGS
                 flags of "{sandbox} serve" in addition to those of the command line, quoted as in a shell,
                 for services of CI that take variables only
  NO_COLOR       disables colors
`

const exitText = `
Exit codes:
  0  success
  1  failure
  2  wrong command line
  3  coverage: something is unmanaged; drill: a check failed; rehearse: refused, or the second plan is not empty
  4  call and edit: the status of the response is 4xx
  5  call and edit: the status of the response is 5xx
`

// expand inserts the program name into a text.
func (p program) expand(text string) string {
	return strings.ReplaceAll(text, "{sandbox}", p.called())
}

func (p program) help(c command, set *flag.FlagSet) {
	var text strings.Builder
	text.WriteString("Usage:\n")
	for _, a := range c.actions {
		line := "  {sandbox} " + c.name + " " + a.usage
		if a.flags != nil {
			line = strings.TrimRight(line, " ") + " [flags]"
		}
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	fmt.Fprintf(&text, "\nExamples:\n%s\n%s", indented(c.examples), c.about)
	grouped := map[string]bool{}
	for _, group := range c.groups {
		fmt.Fprintf(&text, "\n%s:\n", group.title)
		for name := range strings.FieldsSeq(group.flags) {
			grouped[name] = true
			writeFlag(&text, set.Lookup(name))
		}
	}
	title := "\nFlags:\n"
	set.VisitAll(func(f *flag.Flag) {
		if !grouped[f.Name] {
			text.WriteString(title)
			writeFlag(&text, f)
			title = ""
		}
	})
	if !c.alone {
		text.WriteString("\nIt needs a running sandbox: see Environment in \"{sandbox} help\".\n")
	}
	fmt.Fprint(p.out, p.expand(text.String()))
}

func writeFlag(text *strings.Builder, f *flag.Flag) {
	value, usage := flag.UnquoteUsage(f)
	usage = strings.TrimSuffix(usage, "; "+value) // it only names the value
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
		usage += " (default " + f.DefValue + ")"
	}
	fmt.Fprintf(text, "  %s\n        %s\n", strings.TrimSpace("--"+f.Name+" "+value), usage)
}

func indented(lines string) string {
	var out strings.Builder
	for line := range strings.Lines(lines) {
		if line != "\n" {
			out.WriteString("  ")
		}
		out.WriteString(line)
	}
	return out.String()
}

func (p program) explainWords(flagName string, words map[string]bend.Word) {
	names := bend.Names(words)
	fmt.Fprint(p.out, p.expand("Usage:\n  {sandbox} serve --"+flagName+" "+names[0]+","+names[1]+"\n\n"))
	for _, name := range names {
		fmt.Fprintf(p.out, "  %-19s  %s\n", name, words[name].Help)
	}
}

const overviewHead = `A sandbox of the three billing services, over https on this machine. It needs no account.

Usage:
  {sandbox} COMMAND [arguments] [flags]
`

const overviewTail = `  help COMMAND   explain a command, with examples; also help tolerance, help rewords

Start it, and load its exports in each terminal:
  {sandbox} serve --detach
  eval "$({sandbox} env)"
  terraform apply
  {sandbox} requests --follow
`

func (p program) overview(w io.Writer) {
	fmt.Fprint(w, p.expand(overviewHead))
	for _, chapter := range p.chapters() {
		fmt.Fprintf(w, "\n%s:\n", chapter.title)
		for _, c := range chapter.commands {
			fmt.Fprintf(w, "  %-13s  %s\n", c.name, c.summary)
		}
	}
	fmt.Fprint(w, p.expand(overviewTail+environmentText+exitText))
}
