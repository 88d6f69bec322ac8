package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/evidence"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// completing is the word with which a shell requests completions.
const completing = "__complete"

// completions are the completion scripts of the shells.
var completions = []struct{ shell, script string }{
	{"bash", `_billing_sandbox() {
  local IFS=$'\n'
  COMPREPLY=($({sandbox} __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _billing_sandbox {sandbox}
`},
	{"zsh", `_billing_sandbox() {
  compadd -- ${(f)"$({sandbox} __complete "${(@)words[2,CURRENT]}" 2>/dev/null)"}
}
compdef _billing_sandbox {sandbox}
`},
	{"fish", `complete -c {sandbox} -a '({sandbox} __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`},
	{"powershell", `Register-ArgumentCompleter -Native -CommandName {sandbox} -ScriptBlock {
  param($word, $line)
  $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if (-not $word) { $words += '' }
  & {sandbox} __complete @words | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`},
}

func (p program) completion() command {
	c := command{
		name: "completion", summary: "print the completion script of a shell", alone: true,
		about: `Prints a script that makes a shell complete commands, flags and the names of operations with the Tab key.
Load it in the file with which the shell starts.
`,
		examples: `# In ~/.bashrc; for zsh in ~/.zshrc, behind compinit:
source <({sandbox} completion bash)

# For fish:
{sandbox} completion fish > ~/.config/fish/completions/{sandbox}.fish
`,
	}
	for _, one := range completions {
		c.actions = append(c.actions, action{usage: one.shell, run: func(context.Context, *controller, []string) error {
			_, err := fmt.Fprint(p.out, p.expand(one.script))
			return err
		}})
	}
	return c
}

// complete prints completions of the last word. After KEY=, also after several in a fault, it completes the value of
// the last KEY. bash splits KEY, = and the value into separate words.
func (p program) complete(ctx context.Context, words []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	last := len(words) - 1
	before, word, head := slices.Clone(words[:last]), words[last], ""
	if i := strings.LastIndex(word, "="); i >= 0 {
		before, head, word = append(before, word[:i]), word[:i+1], word[i+1:]
	}
	if head == "=" {
		head = ""
	}
	if i := strings.LastIndex(word, ","); i >= 0 && len(before) > 1 && before[0] == "fault" && before[1] == "add" {
		before, head, word = before[:2], head+word[:i+1], word[i+1:] // another key
	}
	before = slices.DeleteFunc(before, func(one string) bool { return one == "=" || one == "" })
	for _, candidate := range p.candidates(ctx, before, word) {
		if strings.HasPrefix(candidate, word) {
			fmt.Fprintln(p.out, head+candidate)
		}
	}
}

// candidates returns all possible next words.
func (p program) candidates(ctx context.Context, before []string, word string) (found []string) {
	if len(before) == 0 || len(before) == 1 && before[0] == "help" {
		for _, c := range p.commands() {
			found = append(found, c.name)
		}
		return append(found, "help")
	}
	c, err := p.command(before[0])
	if err != nil {
		return nil
	}
	key := before[len(before)-1]
	if values := c.valuesOf(strings.TrimLeft(key[strings.LastIndex(key, ",")+1:], "-")); values != nil {
		return values
	}
	if strings.HasPrefix(word, "-") {
		set, _ := c.flagSets()
		set.VisitAll(func(f *flag.Flag) { found = append(found, "--"+f.Name) })
		return found
	}
	switch strings.Join(before, " ") {
	case c.name:
		if c.name == "edit" {
			return editable()
		}
		return c.verbs()
	case "event emit":
		for _, e := range evidence.Events() {
			found = append(found, e.Event)
		}
		slices.Sort(found)
		return slices.Compact(found)
	case "fault add":
		return sandbox.FaultKeys()
	case "fault remove":
		active, _ := get[[]sandbox.FaultState](ctx, &controller{p: p}, "/faults") // empty without a sandbox
		for _, f := range active {
			found = append(found, f.ID)
		}
	}
	return found
}

// valuesOf returns the values of a flag or of a fault key; nil if any text is valid.
func (c command) valuesOf(key string) []string {
	switch key {
	case "operation":
		return operationNames()
	case "service":
		return serviceNames
	case "foreign":
		return sandbox.ForeignKinds()
	case "env-format":
		return envFormats
	case "rewords", "tolerance":
		return bend.Names(bend.Flags[key])
	case "status":
		return map[string][]string{"deliveries": deliveryStatuses, "requests": statusClasses}[c.name]
	}
	return parameterValues(c.name, key)
}

func operationNames() (names []string) {
	for _, o := range sandbox.Operations() {
		names = append(names, o.Name)
	}
	return names
}

var serviceNames = []string{string(sandbox.Billing), string(sandbox.Finance), string(sandbox.Collections)}

func choiceFlag(set *flag.FlagSet, into *string, name, usage string, words []string) {
	set.Func(name, usage, func(value string) error {
		*into = value
		return oneOf(value, words)
	})
}

func oneOf(value string, words []string) error {
	if !slices.Contains(words, value) {
		return fmt.Errorf("must be one of %s", strings.Join(words, ", "))
	}
	return nil
}
