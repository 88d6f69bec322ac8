package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wording is a rule of language for everything that a user reads.
type wording struct {
	banned string // a regular expression, case-insensitive; a space matches any white space
	write  string // what to write instead
	// allowed matches the standard uses that contain a banned expression, "" if there are none.
	allowed string
	comment bool // also a rule for the comments of Go files, tests included: the expression has no standard use there
}

// wordings are all rules. The terms are those of other Terraform providers, because users search for them.
var wordings = []wording{
	{banned: `\bst(?:ands?|ood) in\b`, write: "is stored in, is in, appears in",
		allowed: `\bst(?:ands?|ood) in for\b`, comment: true},
	{banned: `\b(?:taken|takes?|taking) (?:it |them |one )?out\b`, write: "if removed; remove from the configuration"},
	{banned: `\banother (?:value|one) replaces\b`, write: "changing this forces replacement", comment: true},
	{banned: `\b(?:planned|made|makes?) (?:it )?(?:again|anew)\b`, write: "planned for re-creation; recreated",
		comment: true},
	{banned: `\banew\b`, write: "again", comment: true},
	{banned: `\bgo(?:es|ing)? on\b`, write: "continues"},
	{banned: `\bis the whole list\b`, write: "if set, the list is authoritative"},
	{banned: `\bdefault(?:: | [\x60\d])|(?:\A|[.;|] )without it\b`, write: "Defaults to `x`.; If unset, …"},
	{banned: `\bservice itself notes\b`, write: "service-managed metadata", comment: true},
	{banned: `\bforg(?:ets?|ot|otten|etting)\b`, write: "removes from state only; marks unknown",
		allowed: `\Aforget\z`}, // the command of a scenario
	{banned: `\bcounts? as (?:last )?applied\b`, write: "the value in state applies", comment: true},
	{banned: `\bat once\b`, write: "immediately"},
	{banned: `\bby itself\b`, write: "automatically"},
	{banned: `\bbeside\b`, write: "next to, in addition to"},
	{banned: `\b(?:is|are) no\b`, write: "is not reported as drift; is not a valid X; causes no diff",
		allowed: `\bthere (?:is|are) no\b|\b(?:is|are) no (?:longer|more|less|fewer)\b`},
	{banned: `\bno change in any plan\b`, write: "causes no diff", comment: true},
	{banned: `\bmend(?:s|ed|ing)?\b`, write: "fix, correct, revert", comment: true},
	{banned: `\brefus(?:e|es|ed|ing|als?)\b`, write: "reject, the API rejected",
		allowed: `\bconnection (?:is |was )?refused\b`},
	{banned: `\banswer(?:s|ed|ing)?\b`, write: "response; return, respond", comment: true},
	{banned: `\bgraces?\b`, write: "grace period", allowed: `\bgrace periods?\b`},
	{banned: `\bfaults? (?:of|in) (?:the|this) (?:provider|code)\b`, write: "bug", comment: true},
	{banned: `\b(?:makes?|made|making) (?:an?|the|another|new|no|one) (?:\w+ )?(?:key|invoice|customer|subscription|account|record|endpoint)s?\b`, write: "creates"},
	{banned: `\b(?:tells?|told)\b`, write: "indicates, reports, contains"},
	{banned: `\breckon(?:s|ed|ing)?\b`, write: "convert", comment: true},
	{banned: `\bread(?:s|ing)? tax numbers\b`, write: "validate and normalize CPF and CNPJ numbers", comment: true},
	{banned: `\b(?:moment|instant)s?\b`, write: "time, timestamp"},
	{banned: `\bsome(?:body|one)\b`, write: "another system, another user"},
	{banned: `\bothers (?:add|put|set|have|own|do|did|changed?|writ(?:e|ten)|wrote|keep|create|work)\b`,
		write: "other systems, other users"},
	{banned: `\bwhose\b`, write: "two sentences"},
	{banned: `\bof (?:its|their) own\b`, write: "its own X"},
	{banned: `\bto its end\b`, write: "completes"},
	{banned: `\bcomes? that far\b`, write: "reaches", comment: true},
	{banned: `\blives? in\b`, write: "is stored in; runs at", comment: true},
	{banned: `\bsettl(?:e|es|ed|ing)\b`, write: "reconcile (a lost response), advance (the clock)",
		allowed: `\bapi\.Settle\b|\bsettle\.Postpone\b`},
	{banned: `\b(?:story|stories)\b`, write: "scenario"},
	{banned: `\bworkshops?\b`, write: "workspace"},
	{banned: `\bsteer(?:s|ed|ing)?\b`, write: "control"},
	{banned: `\boutlooks?\b`, write: "advice"},
	{banned: `\bkept apart\b`, write: "separated"},
	{banned: `\b(?:is|are|was|were|be|been) responded\b`, write: "is returned, gets a response", comment: true},
	{banned: `\ban (?:respon(?:se|d)|return)\b`, write: "a response", comment: true},
	{banned: `\b(?:can|does|do|must|not|will) response\b`, write: "respond", comment: true},
	{banned: `\b(?:an?|each|every|no|this) responds?\b`, write: "response", comment: true},
}

// spaced lets an expression match across lines, and across the signs that begin a comment.
func spaced(expression string) *regexp.Regexp {
	if expression == "" {
		return regexp.MustCompile(`$^`)
	}
	return regexp.MustCompile(`(?im)` + strings.ReplaceAll(expression, " ", `[\s#/]+`))
}

// breach is a banned expression at a place of a text.
type breach struct {
	offset       int
	found, write string
}

var compiled = func() (patterns [][2]*regexp.Regexp) {
	for _, w := range wordings {
		patterns = append(patterns, [2]*regexp.Regexp{spaced(w.banned), spaced(w.allowed)})
	}
	return patterns
}()

// breaches are all banned expressions in a text, or in a comment.
func breaches(text string, comment bool) (all []breach) {
	for i, w := range wordings {
		if comment && !w.comment {
			continue
		}
		allowed := compiled[i][1].FindAllStringIndex(text, -1)
		for _, at := range compiled[i][0].FindAllStringIndex(text, -1) {
			if !slices.ContainsFunc(allowed, func(a []int) bool { return a[0] <= at[0] && at[1] <= a[1] }) {
				all = append(all, breach{at[0], strings.Join(strings.Fields(text[at[0]:at[1]]), " "), w.write})
			}
		}
	}
	slices.SortFunc(all, func(a, b breach) int { return a.offset - b.offset })
	return all
}

// texts reads what users read: of prose and examples the lines outside of code blocks, of Go the string literals. It
// reads the comments of Go files too.
func texts(t *testing.T) map[string][]breachAt {
	t.Helper()
	found := map[string][]breachAt{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path = filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
		if entry.IsDir() {
			if slices.Contains([]string{".git", "bin", "dist", ".terraform", "testdata"}, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		isGo, isProse := readBy(path)
		if !isGo && !isProse {
			return nil
		}
		content, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return err
		}
		if isGo {
			found[path], err = inGo(path, content)
		} else {
			found[path] = inProse(path, string(content))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// readBy reports how a file is checked; both are false for a file that is not.
func readBy(path string) (asGo, asProse bool) {
	folder, _, nested := strings.Cut(path, "/")
	switch extension := filepath.Ext(path); {
	case extension == ".go":
		return true, false
	case !nested, folder == "docs", folder == ".github":
		return false, extension == ".md"
	case folder == "templates":
		return false, true
	case folder == "examples":
		return false, slices.Contains([]string{".md", ".tf", ".hcl", ".json"}, extension)
	default:
		return false, extension == ".html" || extension == ".tmpl"
	}
}

// breachAt is a breach with its line.
type breachAt struct {
	breach
	line int
}

func inProse(path, text string) (all []breachAt) {
	if strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".md.tmpl") {
		// Code is checked where it comes from; what it prints too.
		text = fenced.ReplaceAllStringFunc(text, func(code string) string {
			return strings.Repeat("\n", strings.Count(code, "\n"))
		})
		// A link names a place. The place itself is checked.
		text = link.ReplaceAllString(text, "]")
	}
	for _, b := range breaches(text, false) {
		all = append(all, breachAt{b, 1 + strings.Count(text[:b.offset], "\n")})
	}
	return all
}

// inGo reads the comments of a Go file and, except in tests, its string literals. Literals that are added up are one
// text.
func inGo(path string, source []byte) (all []breachAt, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, group := range file.Comments {
		start, end := files.Position(group.Pos()), files.Position(group.End())
		text := string(source[start.Offset:end.Offset])
		for _, b := range breaches(text, true) {
			all = append(all, breachAt{b, start.Line + strings.Count(text[:b.offset], "\n")})
		}
	}
	if strings.HasSuffix(path, "_test.go") {
		return all, nil
	}
	check := func(literals []*ast.BasicLit) {
		var text strings.Builder
		var starts, lines []int
		for _, literal := range literals {
			value, _ := strconv.Unquote(literal.Value)
			starts, lines = append(starts, text.Len()), append(lines, files.Position(literal.Pos()).Line)
			text.WriteString(value)
		}
		for _, b := range breaches(text.String(), false) {
			last, exact := slices.BinarySearch(starts, b.offset)
			if !exact {
				last--
			}
			line := lines[last]
			if literals[last].Value[0] == '`' {
				line += strings.Count(text.String()[starts[last]:b.offset], "\n")
			}
			all = append(all, breachAt{b, line})
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				check([]*ast.BasicLit{n})
			}
		case *ast.BinaryExpr:
			if literals := added(n); n.Op == token.ADD && len(literals) > 0 {
				check(literals)
				return false
			}
		}
		return true
	})
	return all, nil
}

// added are the string literals of a sum, in order.
func added(sum ast.Expr) (literals []*ast.BasicLit) {
	ast.Inspect(sum, func(node ast.Node) bool {
		if literal, is := node.(*ast.BasicLit); is && literal.Kind == token.STRING {
			literals = append(literals, literal)
		}
		return true
	})
	return literals
}

// TestLanguage: nothing that users read contains an expression of the table, and no comment one of those for comments.
func TestLanguage(t *testing.T) {
	t.Parallel()
	found := texts(t)
	if len(found) < 200 {
		t.Fatalf("only %d files were read", len(found))
	}
	for _, path := range slices.Sorted(maps.Keys(found)) {
		for _, b := range found[path] {
			t.Errorf("%s:%d: %q; write: %s", path, b.line, b.found, b.write)
		}
	}
}

func TestLanguageRules(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"It stands\nin the state.":                            1,
		"The mock stands in for it.":                          0,
		"# It is never made\n# again by itself.":              2,
		"There is no plan. It is no longer there.":            0,
		"An order is no drift.":                               1,
		"dial tcp: connection refused":                        0,
		"The service refuses it.":                             1,
		"Its grace period is `grace_period_days`.":            0,
		"The grace ends.":                                     1,
		"Default: `merge`. Default `true`. Default 1.":        3,
		"Defaults to `merge`.":                                0,
		"Without it, nothing.":                                1,
		"A key that makes a new customer.":                    1,
		"See the test in `settled_at`, a second after.":       0,
		"What others add is removed; so is what others read.": 1,
	} {
		if got := breaches(text, false); len(got) != want {
			t.Errorf("%q: %v, want %d", text, got, want)
		}
	}
	source := "package p\nimport _ \"anew\"\ntype t struct{ a int `anew:\"\"` }\n// at once\n" +
		"var a = \"taken \" +\n\tx + \"out at \" +\n\t\"once\" + `\n\nanew`\n"
	got, err := inGo("p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0].line != 5 || got[1].line != 6 || got[2].line != 9 {
		t.Errorf("Go: %v", got)
	}
	source = "package p\n\n// b is made\n// again.\nvar b = 1 // it answers, at once\n\nvar c = \"anew\"\n"
	if got, err = inGo("p_test.go", []byte(source)); err != nil || len(got) != 2 || got[0].line != 3 || got[1].line != 5 {
		t.Errorf("comments: %v, %v", got, err)
	}
	if got := inProse("a.md", "anew\n```\nanew\n```\nanew\n"); len(got) != 2 || got[1].line != 5 {
		t.Errorf("prose: %v", got)
	}
}
