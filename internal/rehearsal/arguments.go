package rehearsal

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"
)

// argumentsVariable begins the names of the variables with arguments for Terraform's commands.
const argumentsVariable = "TF_CLI_ARGS"

// arguments are those that the runs of a rehearsal take over from the user's.
type arguments struct{ plan, apply []string }

// flagKind says how a flag of Terraform is used in a rehearsal.
type flagKind int

const (
	refused     flagKind = iota
	used                 // by the plans
	usedByBoth           // by the plans and the apply
	ofTerminals          // it changes only the output, which nobody reads here
)

// planFlags are the flags of a plan that a rehearsal can use. All others change what is planned or where it is stored.
var planFlags = map[string]flagKind{"var": used, "var-file": used, "refresh": used, "parallelism": usedByBoth,
	"compact-warnings": ofTerminals, "no-color": ofTerminals, "input": ofTerminals, "detailed-exitcode": ofTerminals}

// valued are the flags whose value may be the next argument.
var valued = []string{"var", "var-file", "parallelism"}

// userArguments returns what the user's plans are run with: after the program, and in TF_CLI_ARGS and TF_CLI_ARGS_plan.
// A flag that a rehearsal cannot use is an error, and none is dropped.
func (r *rehearsal) userArguments() error {
	// As Terraform orders them: the last one counts.
	for _, variable := range []string{argumentsVariable + "_plan", argumentsVariable} {
		if err := r.take(variable, r.getenv(variable), planFlags); err != nil {
			return err
		}
	}
	if err := r.takeWords("the command line", r.Arguments, planFlags); err != nil {
		return err
	}
	// A saved plan has its variables, so an apply takes none. Other values there would be those of another plan.
	apply := rehearsal{Options: Options{Folder: r.Folder}}
	flags := map[string]flagKind{"auto-approve": ofTerminals}
	for name, kind := range planFlags {
		flags[name] = kind
	}
	variable := argumentsVariable + "_apply"
	if err := apply.take(variable, r.getenv(variable), flags); err != nil {
		return err
	}
	for _, one := range apply.arguments.plan {
		if name := flagName(one); name != "parallelism" && !slices.Contains(r.arguments.plan, one) {
			return fmt.Errorf("%s sets -%s, and the plan is made without it: set it in %s_plan too, or give it to this command",
				variable, name, argumentsVariable)
		}
	}
	r.arguments.apply = append(r.arguments.apply, apply.arguments.apply...)
	return r.initArguments()
}

// initArguments names the arguments of init, which are not used: init has run in the user's folder.
func (r *rehearsal) initArguments() error {
	variable := argumentsVariable + "_init"
	words, err := shellwords.Parse(r.getenv(variable))
	if err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	var names []string
	for _, word := range words {
		if strings.HasPrefix(word, "-") {
			names = append(names, "-"+flagName(word))
		}
	}
	if len(names) > 0 {
		r.report.LeftOut = append(r.report.LeftOut, fmt.Sprintf("%s (%s) is not used: a rehearsal has a backend of its "+
			"own, and the providers and modules that init has installed in this folder.", variable, strings.Join(names, ", ")))
	}
	return nil
}

func (r *rehearsal) take(variable, text string, flags map[string]flagKind) error {
	words, err := shellwords.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", variable, err)
	}
	return r.takeWords(variable, words, flags)
}

func (r *rehearsal) takeWords(from string, words []string, flags map[string]flagKind) error {
	for i := 0; i < len(words); i++ {
		name := flagName(words[i])
		if !strings.HasPrefix(words[i], "-") || name == "" {
			return fmt.Errorf("%s has %q, which is not a flag of a plan", from, words[i])
		}
		kind := flags[name]
		if kind == refused {
			return fmt.Errorf("%s has -%s, which a rehearsal cannot use: remove it (usable are %s)", from, name, usable())
		}
		_, value, has := strings.Cut(words[i], "=")
		if !has && slices.Contains(valued, name) {
			if i++; i == len(words) {
				return fmt.Errorf("%s has -%s without a value", from, name)
			}
			value, has = words[i], true
		}
		if kind == ofTerminals {
			continue
		}
		if name == "var-file" && !filepath.IsAbs(value) {
			value = filepath.Join(r.Folder, value)
		}
		one := "-" + name
		if has {
			one += "=" + value
		}
		r.arguments.plan = append(r.arguments.plan, one)
		if kind == usedByBoth {
			r.arguments.apply = append(r.arguments.apply, one)
		}
	}
	return nil
}

// flagName returns the name of a flag without dashes and value.
func flagName(word string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
	return name
}

func usable() string {
	var names []string
	for name := range planFlags {
		names = append(names, "-"+name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
