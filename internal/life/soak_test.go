package life

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// The flags of the soak: go test ./internal/life -run TestSoak -v -args -duration 10m -seed 7
var (
	soakDuration = flag.Duration("duration", 0, "how long to soak; 0: a few lives, as in make test")
	soakSeed     = flag.Uint64("seed", 0, "the first life; 0: random if there is a duration")
	soakFile     = flag.String("file", "", "the life that TestLife plays")
	soakOnly     = flag.String("only", "", "the resource types of lives, such as billing_api_key; empty: all")
	soakRewords  = flag.String("rewords", "", "how the sandbox stores texts otherwise, as for serve --rewords")
	soakFind     = flag.String("find", "", "a regular expression for the failures that end a life")
)

// open starts a life, through Terraform itself if genuine.
func open(t *testing.T, genuine bool) (w *world, end func()) {
	t.Helper()
	service, end := acctest.Open(t, func(o *sandbox.Options) {
		o.MaxPerPage, o.NoExampleData = 0, true
		if *soakRewords != "" {
			kinds, err := sandbox.ParseRewords(*soakRewords)
			if err != nil {
				t.Fatal(err)
			}
			o.Rewords = kinds
		}
	})
	counts.lives++
	here := *service
	var drive driver = here.Core()
	if genuine {
		counts.real++
		drive = newTerraform(t, &here)
	}
	return &world{stage: stage{t: t, service: service, drive: drive, marks: map[string]object{}}, here: &here,
		start: acctest.Epoch, blocks: map[string]step{}, appliedBlocks: map[string]step{}, imports: map[string]string{},
		unapplied: map[string]bool{}, dirty: map[string]bool{}, graces: map[string]bool{}}, end
}

// relive runs the steps until one causes a violation that is caught.
func relive(t *testing.T, steps []step, genuine bool, caught func(*violation) bool) *violation {
	t.Helper()
	w, end := open(t, genuine)
	defer end()
	w.caught = caught
	for _, s := range steps {
		if bad := w.do(s); bad != nil {
			return bad
		}
	}
	return nil
}

// TestSoak runs random lives: a few fixed ones, or as many as fit into -duration. It continues after a failure, and
// prints every kind of failure once.
func TestSoak(t *testing.T) {
	seed := uint64(1)
	if *soakDuration > 0 {
		seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	seed = cmp.Or(*soakSeed, seed)
	set := func(name, value string) {
		if err := flag.Set("rapid."+name, value); err != nil {
			t.Fatal(err)
		}
	}
	set("nofailfile", "true")
	set("checks", "1")
	set("steps", "14")
	s := &soak{t: t, find: regexp.MustCompile(*soakFind), set: set, known: map[string]int{}, long: *soakDuration > 0}
	begun, lives := time.Now(), 0
	for ; lives < shortLives && !s.long || s.long && time.Since(begun) < *soakDuration; lives++ {
		s.life(seed + uint64(lives))
	}
	for kind, n := range s.known {
		fmt.Printf("%d × %s\n", n, kind)
	}
	fmt.Printf("seeds %d to %d: %d lives (%d through Terraform), %d steps, %d runs (%d refused), %d requests, %d copies, "+
		"%s\n", seed, seed+uint64(lives)-1, counts.lives, counts.real, counts.steps, counts.runs, counts.refused,
		counts.requests, counts.copies, time.Since(begun).Round(time.Second))
}

// shortLives is the number of lives in `make test`, always the same ones.
const shortLives = 12

// soak is a running soak.
type soak struct {
	t     *testing.T
	find  *regexp.Regexp
	set   func(name, value string)
	long  bool           // for a duration: `make soak`
	known map[string]int // number of failures by kind
}

// catches reports whether the soak looks for a violation.
func (s *soak) catches(bad *violation) bool {
	return s.find.MatchString(bad.String())
}

// life runs the life of a seed. A failure of a new kind is made small and printed.
func (s *soak) life(seed uint64) {
	s.set("seed", strconv.FormatUint(seed, 10))
	s.set("shrinktime", "0s")
	ended := false
	defer func() { // also if a test function has stopped the goroutine
		if !ended {
			s.t.Errorf("make soak SEED=%d reproduces it.", seed)
		}
	}()
	genuine := s.long && acctest.TerraformProgram() != "" && seed%realShare == 0
	bad, _ := check(s.t, s.catches, genuine)
	if ended = true; bad == nil {
		return
	}
	kind := bad.kind()
	s.known[kind]++
	if s.known[kind] > 1 {
		return
	}
	s.set("shrinktime", shrinkTime)
	if genuine {
		s.set("shrinktime", "0s")
	}
	bad, steps := check(s.t, func(v *violation) bool { return v.kind() == kind }, genuine)
	if bad == nil {
		s.t.Errorf("seed %d: %s (not reproduced)", seed, kind)
		return
	}
	if !genuine || relive(s.t, steps, false, func(v *violation) bool { return v.kind() == kind }) != nil {
		steps, bad = smallest(s.t, steps, bad)
	}
	s.t.Errorf("seed %d: %s\n%s\n\nmake soak SEED=%d reproduces it; so does make soak LIFE=file "+
		"with the lines in a file.", seed, bad, life(steps), seed)
}

// realShare is the share of lives that go through Terraform itself: one in so many.
const realShare = 40

// shrinkTime limits the time for rapid's shrinking.
const shrinkTime = "6s"

// check runs one life of the seed, and shrinks it within the time limit.
func check(t *testing.T, caught func(*violation) bool, genuine bool) (*violation, []step) {
	t.Helper()
	q := &quiet{TB: t}
	var steps []step
	rapid.Check(q, func(rt *rapid.T) {
		w, end := open(t, genuine)
		defer end()
		w.caught = caught
		d := &draw{T: rt, w: w}
		if bad := d.live(); bad != nil {
			steps, q.bad = w.lived, bad
			rt.Fatal(bad.what)
		}
	})
	return q.bad, steps
}

// quiet discards rapid's report: the life is printed instead.
type quiet struct {
	rapid.TB
	bad *violation
}

// Errorf implements rapid.TB.
func (q *quiet) Errorf(string, ...any) {}

// Logf implements rapid.TB.
func (q *quiet) Logf(string, ...any) {}

// Log implements rapid.TB.
func (q *quiet) Log(...any) {}

// Fatal implements rapid.TB.
func (q *quiet) Fatal(...any) {}

// Failed implements rapid.TB.
func (q *quiet) Failed() bool { return q.bad != nil }

// FailNow implements rapid.TB.
func (q *quiet) FailNow() {}

// TestLife plays a life from a file.
func TestLife(t *testing.T) {
	if *soakFile == "" {
		t.Skip("make soak LIFE=file plays a file")
	}
	steps := lifeIn(t, *soakFile)
	for _, genuine := range []bool{false, true} {
		if genuine && acctest.TerraformProgram() == "" {
			t.Log("not played with Terraform itself: that needs TF_ACC=1 and terraform")
		} else if bad := relive(t, steps, genuine, nil); bad != nil {
			t.Errorf("with Terraform %t: %s", genuine, bad)
		}
	}
}

// TestKeptLives plays the lives that have found bugs.
func TestKeptLives(t *testing.T) {
	files, err := filepath.Glob("testdata/*.life")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lives: %v", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if bad := relive(t, lifeIn(t, path), false, nil); bad != nil {
				t.Error(bad)
			}
		})
	}
}

// TestThroughTerraform plays one life with all resources through Terraform itself, and through acctest.Core.
func TestThroughTerraform(t *testing.T) {
	if acctest.TerraformProgram() == "" {
		t.Skip("needs TF_ACC=1 and terraform")
	}
	steps := lifeIn(t, "testdata/all.life")
	if bad := relive(t, steps, true, nil); bad != nil {
		t.Error(bad)
	}
}

func lifeIn(t *testing.T, path string) []step {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := readLife(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return steps
}
