// Command mutants changes the code in one place at a time, and reports the changes that no test finds.
//
//	mutants [-seed N] [-count N] [-tests PATTERNS] PACKAGE|FILE…
//	mutants [-seed N] -promises FILE
//
// It draws COUNT places in the files of the packages. A mutant that does not compile is drawn again. The exit code is 1
// if fewer than nine in ten are found, or if the tests fail without a mutant.
//
// With -promises, the changes are those of the file, which each break a promise, and 150 random lives must find all of
// them: some 2,000 runs of Terraform.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest/golden"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// mutant is a change of a file.
type mutant struct {
	promise    string // that it breaks; empty: it is drawn
	file       string
	from, to   int // offsets
	line       int
	text, with string
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("mutants", flag.ExitOnError)
	seed := flags.Uint64("seed", 1, "`NUMBER` that the places are drawn with")
	count := flags.Int("count", 20, "`NUMBER` of mutants")
	tests := flags.String("tests", "", "`PATTERNS` of the packages whose tests run, separated by spaces; empty: the mutated ones")
	timeout := flags.Duration("timeout", 5*time.Minute, "`DURATION` after which tests count as failed")
	workers := flags.Int("parallel", 2, "`NUMBER` of mutants at once")
	broken := flags.String("promises", "", "`FILE` of changes that break a promise each")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *broken != "" {
		all, err := promises(*broken)
		if err != nil {
			return err
		}
		s := &session{tests: []string{"-run=^TestSoak$", "./internal/life", "-args", "-first", "-lives=150",
			fmt.Sprintf("-seed=%d", max(*seed, 1))}, timeout: *timeout, count: len(all), waiting: all}
		return s.run(ctx, *workers, len(all))
	}
	if flags.NArg() == 0 {
		return errors.New("name a package, such as ./internal/sandbox/amounts")
	}
	patterns := flags.Args()
	if *tests != "" {
		patterns = strings.Fields(*tests)
	}
	all, err := find(ctx, flags.Args())
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(*seed, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	fmt.Printf("%d places, seed %d\n", len(all), *seed)
	s := &session{tests: patterns, timeout: *timeout, count: *count, waiting: all}
	return s.run(ctx, *workers, 0)
}

// run tries the mutants. least is the number that must be found; 0: nine in ten.
func (s *session) run(ctx context.Context, workers, least int) error {
	if out, err := s.test(ctx); err != nil {
		return fmt.Errorf("the tests fail without a mutant: %w\n%s", err, out)
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(func() { s.work(ctx) })
	}
	group.Wait()
	fmt.Printf("%d of %d mutants were found\n", s.found, s.done)
	switch {
	case s.err != nil:
		return s.err
	case s.found < least:
		return errors.New("some promises can be broken")
	case least == 0 && s.found*10 < s.done*9:
		return errors.New("fewer than nine in ten")
	}
	return nil
}

// promises reads a file of changes. Each begins with == and the promise; then come the file below internal, the code,
// which the file has once, => and what replaces it.
func promises(name string) (all []mutant, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	_, sections := golden.Sections(string(text))
	for _, section := range sections {
		promise := section.Name
		file, change, _ := strings.Cut(section.Text, "\n")
		code, with, ok := strings.Cut(change, "\n=>\n")
		if file, err = filepath.Abs(filepath.Join(filepath.Dir(name), "..", "..", file)); err != nil {
			return nil, err
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		from := strings.Index(string(source), code)
		if !ok || strings.Count(string(source), code) != 1 {
			return nil, fmt.Errorf("%s: %s does not have exactly once: %s", promise, file, code)
		}
		all = append(all, mutant{promise, file, from, from + len(code), strings.Count(string(source[:from]), "\n") + 1, code,
			strings.TrimSpace(with)})
	}
	return all, nil
}

// find returns the places in the files of packages.
func find(ctx context.Context, patterns []string) (all []mutant, err error) {
	var files []string
	for _, pattern := range patterns { // apart, because a file may be one
		format := `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`
		out, err := exec.CommandContext(ctx, "go", "list", "-f", format, pattern).Output()
		if err != nil {
			return nil, fmt.Errorf("go list %s: %w", pattern, err)
		}
		files = append(files, strings.Fields(string(out))...)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, source, 0)
		if err != nil {
			return nil, err
		}
		at := func(p token.Pos) int { return set.Position(p).Offset }
		ast.Inspect(tree, func(n ast.Node) bool {
			text := func(n ast.Node) string { return string(source[at(n.Pos()):at(n.End())]) }
			for _, p := range placesIn(n, text) {
				all = append(all, mutant{"", file, at(p.node.Pos()), at(p.node.End()), set.Position(p.node.Pos()).Line,
					text(p.node), p.with})
			}
			return true
		})
	}
	return all, nil
}

// place is a node, and the text that it is replaced with.
type place struct {
	node ast.Node
	with string
}

// opposites of operators.
var opposites = map[token.Token]string{token.EQL: "!=", token.NEQ: "==", token.LSS: ">=", token.LEQ: ">",
	token.GTR: "<=", token.GEQ: "<", token.LAND: "||", token.LOR: "&&", token.ADD: "-", token.SUB: "+", token.MUL: "+"}

// placesIn are the changes of a node.
func placesIn(n ast.Node, text func(ast.Node) string) (all []place) {
	change := func(n ast.Node, with string) { all = append(all, place{n, with}) }
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if operator, has := opposites[n.Op]; has {
			change(n, text(n.X)+" "+operator+" "+text(n.Y))
		}
	case *ast.IfStmt:
		change(n.Cond, "false && ("+text(n.Cond)+")")
		change(n.Cond, "true || ("+text(n.Cond)+")")
	case *ast.SwitchStmt:
		if n.Tag != nil {
			break
		}
		for _, clause := range n.Body.List {
			for _, condition := range clause.(*ast.CaseClause).List {
				change(condition, "false && ("+text(condition)+")")
			}
		}
	case *ast.ExprStmt:
		change(n, "")
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			change(n, "")
		}
	case *ast.ReturnStmt:
		if len(n.Results) == 1 && (text(n.Results[0]) == "true" || text(n.Results[0]) == "false") {
			change(n, map[string]string{"true": "return false", "false": "return true"}[text(n.Results[0])])
		}
	}
	return all
}

// session is a run over mutants.
type session struct {
	tests   []string
	timeout time.Duration
	count   int

	mu          sync.Mutex
	waiting     []mutant
	done, found int
	err         error
}

// next takes a mutant; false at the end.
func (s *session) next() (m mutant, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 || s.done >= s.count || s.err != nil {
		return m, false
	}
	m, s.waiting = s.waiting[0], s.waiting[1:]
	return m, true
}

// work tries mutants until there are enough.
func (s *session) work(ctx context.Context) {
	for {
		m, ok := s.next()
		if !ok {
			return
		}
		valid, found, err := s.try(ctx, m)
		s.mu.Lock()
		switch {
		case err != nil:
			s.err = err
		case valid && s.done < s.count:
			s.done++
			word := "survived"
			if found {
				s.found++
				word = "found   "
			}
			if m.promise != "" {
				m.promise += ": "
			}
			fmt.Printf("%s %s%s:%d: %s → %s\n", word, m.promise, shown(m.file), m.line, oneLine(m.text), oneLine(m.with))
		}
		s.mu.Unlock()
	}
}

// try runs the tests with a mutant. valid is false if it does not compile.
func (s *session) try(ctx context.Context, m mutant) (valid, found bool, err error) {
	folder, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return false, false, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	source, err := os.ReadFile(m.file)
	if err != nil {
		return false, false, err
	}
	changed := slices.Concat(source[:m.from], []byte(m.with), source[m.to:])
	file, overlay := filepath.Join(folder, "mutant.go"), filepath.Join(folder, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {m.file: file}})
	if err != nil {
		return false, false, err
	}
	if err := errors.Join(os.WriteFile(file, changed, 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return false, false, err
	}
	if exec.CommandContext(ctx, "go", "build", "-overlay="+overlay, filepath.Dir(m.file)).Run() != nil {
		return false, false, nil
	}
	out, failure := s.test(ctx, "-overlay="+overlay)
	if strings.Contains(out, "[setup failed]") {
		return false, false, errors.New(out)
	}
	return !strings.Contains(out, "[build failed]"), failure != nil, nil
}

// test runs the tests.
func (s *session) test(ctx context.Context, flags ...string) (string, error) {
	arguments := slices.Concat([]string{"test", "-failfast", "-count=1", "-vet=off", "-timeout=" + s.timeout.String()},
		flags, s.tests)
	out, err := exec.CommandContext(ctx, "go", arguments...).CombinedOutput()
	return string(out), err
}

// shown is a path in this folder.
func shown(file string) string {
	here, err := os.Getwd()
	if err != nil {
		return file
	}
	if short, err := filepath.Rel(here, file); err == nil {
		return short
	}
	return file
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "nothing"
	}
	if len(text) > 90 {
		text = text[:90] + "…"
	}
	return text
}
