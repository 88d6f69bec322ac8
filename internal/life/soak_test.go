package life

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/bend"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// The flags of the soak: go test ./internal/life -run TestSoak -v -args -lives 1000 -seed 7
var (
	soakDuration = flag.Duration("duration", 0, "how long to soak; 0: a few lives, as in make test")
	soakCount    = flag.Uint64("lives", 0, "the number of lives in virtual time; 0: those of the duration")
	soakSeed     = flag.Uint64("seed", 0, "the first life; 0: random if there is a duration or a number")
	soakFile     = flag.String("file", "", "the life that TestLife plays")
	soakOnly     = flag.String("only", "", "the resource types of lives, such as billing_api_key; empty: all")
	soakFirst    = flag.Bool("first", false, "end with the first failure, as it is: to test the judge with a mutant")
	soakFind     = flag.String("find", "", "a regular expression for the failures that end a life")
)

// open starts a life, through Terraform itself if genuine, and otherwise in the virtual time of a bubble. rewords is
// how the service stores texts otherwise, as for `billing-sandbox serve --rewords`.
func open(t *testing.T, genuine bool, seed uint64, rewords string) (w *world, end func()) {
	t.Helper()
	service, closed := acctest.Open(t, func(o *sandbox.Options) {
		o.MaxPerPage, o.NoExampleData = 0, true
		if !genuine {
			o.NoListeners, o.Start = true, time.Time{}
		}
		rules, err := bend.Parse(bend.Rewords, rewords)
		if err != nil {
			t.Fatal(err)
		}
		o.Bend = rules
	})
	w = &world{stage: stage{t: t, service: service, marks: map[string]object{}},
		start: acctest.Epoch, rewords: rewords, blocks: map[string]step{}, appliedBlocks: map[string]step{},
		imports: map[string]string{}, imported: map[string]bool{},
		unapplied: map[string]bool{}, dirty: map[string]bool{}, graces: map[string]bool{},
		others: map[string]bool{}, resembling: map[string]string{}, contacts: map[string]map[string]string{}}
	w.counts.lives = 1
	if genuine {
		here := *service
		w.here, w.drive, w.counts.real = &here, newTerraform(t, &here), 1
		return w, closed
	}
	time.Sleep(time.Until(acctest.Epoch)) // the clocks agree, and reads that lag show what is there from the start
	service.Sandbox.Clock().Set(acctest.Epoch)
	w.net = &network{sandbox: service.Sandbox, seed: seed, random: rand.New(rand.NewPCG(seed, 48)), foreign: w.meanwhile}
	w.net.expect(nil)
	service.Dial, service.Random, service.Uncompared = w.net.dial, w.net.number, true
	here := *service
	core := here.Core()
	core.Turn = w.net.turn
	w.here, w.drive = &here, core
	over := w.net.begin()
	t.Cleanup(over)
	return w, closed
}

// inside runs a life, in a bubble unless it is genuine, and returns its violation.
func inside(t *testing.T, genuine bool, seed uint64, rewords string, live func(*world) *violation) (bad *violation) {
	t.Helper()
	run := func(t *testing.T) {
		w, end := open(t, genuine, seed, rewords)
		defer end()
		bad = live(w)
		total.Lock()
		defer total.Unlock()
		total.add(w.counts)
	}
	if genuine {
		run(t)
		return bad
	}
	stuck := time.AfterFunc(longestLife, func() { panic(fmt.Sprintf("the life of seed %d hangs", seed)) })
	defer stuck.Stop()
	acctest.Virtually(t, run)
	return bad
}

// longestLife is a time after which a life hangs, such as by a mutex that is held during a request: virtual time stands
// still then.
const longestLife = 2 * time.Minute

// relive runs the steps until one causes a violation that is caught.
func relive(t *testing.T, steps []step, genuine bool, seed uint64, caught func(*violation) bool) *violation {
	t.Helper()
	rewords := ""
	if len(steps) > 0 && steps[0].Do == doRewords {
		rewords = steps[0].What
	}
	return inside(t, genuine, seed, rewords, func(w *world) *violation {
		w.caught = caught
		for _, s := range steps {
			if bad := w.do(s); bad != nil {
				return bad
			}
		}
		return nil
	})
}

// TestSoak runs random lives: a few fixed ones, -lives, or as many as fit into -duration. It continues after a failure,
// and prints every kind of failure once.
func TestSoak(t *testing.T) {
	defer acctest.WithLag()()
	defer debug.SetGCPercent(debug.SetGCPercent(1600)) // lives are short, and their garbage is small
	seed, count, begun := uint64(1), cmp.Or(*soakCount, shortLives), time.Now()
	s := &soak{t: t, find: regexp.MustCompile(*soakFind), known: map[string]int{}}
	if *soakDuration > 0 || *soakCount > 0 {
		seed = uint64(begun.UnixNano()) % 1_000_000
	}
	seed = cmp.Or(*soakSeed, seed)
	goesOn := func(lives uint64) bool {
		if *soakDuration > 0 {
			return time.Since(begun) < *soakDuration
		}
		return lives < count && !(*soakFirst && s.failed())
	}
	var lives atomic.Uint64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for n := lives.Add(1) - 1; goesOn(n); n = lives.Add(1) - 1 {
				s.life(seed + n)
			}
			lives.Add(^uint64(0))
		})
	}
	workers.Wait()
	for kind, n := range s.known {
		fmt.Printf("%d × %s\n", n, kind)
	}
	took := time.Since(begun)
	fmt.Printf("seeds %d to %d: %s, %s, %.0f cycles per second\n", seed, seed+lives.Load()-1, total.counts,
		took.Round(time.Second), float64(total.runs)/took.Seconds())
}

// shortLives is the number of lives in `make test`, always the same ones.
const shortLives = 100

// soak is a running soak.
type soak struct {
	t    *testing.T
	find *regexp.Regexp

	mu    sync.Mutex
	known map[string]int // number of failures by kind
}

func (s *soak) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.known) > 0
}

// first counts a failure, and reports whether it is the first one of its kind.
func (s *soak) first(kind string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[kind]++
	return s.known[kind] == 1
}

// life runs the life of a seed. A failure of a new kind is made small and printed.
func (s *soak) life(seed uint64) {
	ended := false
	defer func() { // also if a test function has stopped the goroutine
		if !ended {
			s.t.Errorf("make simulate SEED=%d reproduces it.", seed)
		}
	}()
	genuine := *soakDuration > 0 && acctest.TerraformProgram() != "" && seed%realShare == 0
	steps, _, bad := lifeOf(s.t, genuine, seed, func(bad *violation) bool { return s.find.MatchString(bad.String()) })
	if ended = true; bad == nil {
		return
	}
	kind := bad.kind()
	if !s.first(kind) {
		return
	}
	if *soakFirst {
		s.t.Errorf("seed %d: %s", seed, bad)
		return
	}
	if steps, bad = smallest(s.t, steps, seed, bad); bad == nil {
		s.t.Errorf("seed %d: %s (not reproduced)", seed, kind)
		return
	}
	s.t.Errorf("seed %d: %s\n# seed %d\n%s\n\nmake simulate SEED=%d reproduces it; so does make simulate LIFE=file "+
		"with the lines in a file.", seed, bad, seed, life(steps), seed)
}

// lifeOf runs the life of a seed, and returns its steps and the requests.
func lifeOf(t *testing.T, genuine bool, seed uint64, caught func(*violation) bool) (steps []step,
	sent []sandbox.Request, bad *violation) {
	t.Helper()
	rewords := rewordsOf(seed)
	bad = inside(t, genuine, seed, rewords, func(w *world) *violation {
		w.caught = caught
		if rewords != "" {
			w.lived = []step{{Do: doRewords, What: rewords}}
		}
		bad := (&draw{Rand: rand.New(rand.NewPCG(seed, 12)), w: w}).live(clockOf(seed))
		steps, sent = w.lived, w.service.Sandbox.Requests()
		return bad
	})
	return steps, sent, bad
}

// TestSeedDecides lives some lives twice: the requests are the same, in the same order and at the same times.
func TestSeedDecides(t *testing.T) {
	defer acctest.WithLag()()
	for seed := range uint64(8) {
		_, once, _ := lifeOf(t, false, seed, nil)
		_, again, _ := lifeOf(t, false, seed, nil)
		if len(once) == 0 || len(once) != len(again) {
			t.Errorf("seed %d: %d and %d requests", seed, len(once), len(again))
			continue
		}
		for i := range once {
			line := func(r sandbox.Request) string {
				return fmt.Sprintf("%s %s %s?%s %s: %d %s", r.Time.Format(time.StampMilli), r.Operation, r.Path, r.Query, r.Body,
					r.Status, r.Response)
			}
			if a, b := line(once[i]), line(again[i]); a != b {
				t.Errorf("seed %d, request %d:\n%s\n%s", seed, i, a, b)
				break
			}
		}
	}
}

// clockOf draws how far the service's clock is ahead of the local one; "": they agree, as in most lives.
func clockOf(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 14))
	if r.IntN(8) > 0 {
		return ""
	}
	all := []string{"26h", "-26h", "40s", "-40s", "3m", "-3m"}
	return all[r.IntN(len(all))]
}

// rewordsOf draws how the service of a life rewords; "": it does not, as in most lives.
func rewordsOf(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 13))
	if r.IntN(8) > 0 {
		return ""
	}
	kinds := slices.DeleteFunc(bend.Names(bend.Rewords), func(kind string) bool {
		return kind == "cut" // which loses texts
	})
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	kinds = kinds[:1+r.IntN(3)]
	slices.SortFunc(kinds, func(a, b string) int { return strings.Compare(b, a) }) // crlf after line-end: twice as once
	return strings.Join(kinds, ",")
}

// realShare is the share of lives that go through Terraform itself: one in so many.
const realShare = 40

// TestLife plays a life from a file.
func TestLife(t *testing.T) {
	if *soakFile == "" {
		t.Skip("make simulate LIFE=file plays a file")
	}
	defer acctest.WithLag()()
	steps, seed := lifeIn(t, *soakFile)
	for _, genuine := range []bool{false, true} {
		if genuine && (acctest.TerraformProgram() == "" || simulated(steps)) {
			t.Log("not played with Terraform itself: that needs TF_ACC=1, terraform, and a life without misfortunes")
		} else if bad := relive(t, steps, genuine, seed, nil); bad != nil {
			t.Errorf("with Terraform %t: %s", genuine, bad)
		}
	}
}

// TestKeptLives plays the lives that have found bugs.
func TestKeptLives(t *testing.T) {
	defer acctest.WithLag()()
	files, err := filepath.Glob("testdata/*.life")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lives: %v", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			steps, seed := lifeIn(t, path)
			if bad := relive(t, steps, false, seed, nil); bad != nil {
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
	steps, seed := lifeIn(t, "testdata/all.life")
	if bad := relive(t, steps, true, seed, nil); bad != nil {
		t.Error(bad)
	}
}

// simulated reports whether a life has misfortunes, which only virtual time has.
func simulated(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return len(s.Meets) > 0 })
}

// lifeIn returns the steps in a file, and the seed that decides the order of what happens at the same time.
func lifeIn(t *testing.T, path string) (steps []step, seed uint64) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if steps, err = readLife(string(text)); err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(text), "# seed ")
	_, _ = fmt.Sscan(line, &seed) // 0 without one
	return steps, seed
}
