package life

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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
	"github.com/recurring-billing/terraform-provider-billing/internal/core"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox"
)

// The flags of the soak: go test ./internal/life -run TestSoak -v -args -lives 1000 -seed 7
var (
	soakDuration = flag.Duration("duration", 0, "how long to soak; 0: a few lives, as in make check")
	soakCount    = flag.Uint64("lives", 0, "the number of lives in virtual time; 0: those of the duration")
	soakSeed     = flag.Uint64("seed", 0, "the first life; 0: random if there is a duration or a number")
	soakFile     = flag.String("file", "", "the life that TestKeptLives plays")
	soakOnly     = flag.String("only", "", "the resource types of lives, such as billing_api_key; empty: all")
	soakFirst    = flag.Bool("first", false, "end with the first failure, as it is: to test the judge with a mutant")
)

// total is the sum of all lives of a soak.
var total = struct {
	sync.Mutex
	counts map[string]int
}{counts: map[string]int{}}

// living plays a life of a scenario, and returns what the judge has found.
func living(t *testing.T, genuine bool, text string, live func(s *scenario)) (bad *violation) {
	t.Helper()
	if !genuine {
		over := make(chan struct{})
		defer close(over)
		go watch(over, text)
	}
	inside(t, genuine, func(t *testing.T) {
		s := newScenario(t, "life", text)
		s.genuine = genuine
		defer func() {
			s.end()
			if bad = s.bad; s.judge != nil {
				s.judge.counts["lives"] = 1
				total.Lock()
				defer total.Unlock()
				for name, n := range s.judge.counts {
					total.counts[name] += n
				}
			}
		}()
		live(s)
	})
	return bad
}

// longestLife is a time after which a life hangs, such as by a mutex that is held during a request: virtual time stands
// still then.
const longestLife = 2 * time.Minute

// watch ends a life that hangs. A machine may stand still for longer, so it waits twice.
func watch(over <-chan struct{}, text string) {
	for range 2 {
		select {
		case <-over:
			return
		case <-time.After(longestLife):
		}
	}
	panic("a life hangs:\n" + text)
}

// relive plays a text until something is wrong. A text that cannot be played has no violation.
func relive(t *testing.T, text string) *violation {
	t.Helper()
	return living(t, false, text, func(s *scenario) {
		defer endMalformed()
		s.quiet = true
		s.playAll()
	})
}

// TestSoak runs random lives: a few fixed ones, -lives, or as many as fit into -duration. It continues after a failure,
// and prints every kind of failure once.
func TestSoak(t *testing.T) {
	defer acctest.WithLag()()
	defer debug.SetGCPercent(debug.SetGCPercent(1600)) // lives are short, and their garbage is small
	seed, count, begun := uint64(1), cmp.Or(*soakCount, uint64(acctest.Few(100))), time.Now()
	s := &soak{t: t, known: map[string]int{}}
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
	fmt.Printf("seeds %d to %d: %v, %s, %.0f cycles per second\n", seed, seed+lives.Load()-1, total.counts,
		took.Round(time.Second), float64(total.counts["runs"])/took.Seconds())
}

// soak is a running soak.
type soak struct {
	t *testing.T

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
	text, bad := lifeOf(s.t, false, seed)
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
	if text, bad = smallest(s.t, text, bad); bad == nil {
		s.t.Errorf("seed %d: %s (not reproduced)", seed, kind)
		return
	}
	s.t.Errorf("seed %d: %s\n%s\nmake simulate SEED=%d reproduces it; so does make simulate LIFE=file with this scenario "+
		"in a file.", seed, bad, text, seed)
}

// lifeOf lives the life of a seed, and returns its text.
func lifeOf(t *testing.T, calm bool, seed uint64) (text string, bad *violation) {
	t.Helper()
	bad = living(t, false, fmt.Sprintf("seed %d", seed), func(s *scenario) {
		d := newDraw(s, seed, calm)
		d.live(seed)
		text = d.text()
	})
	return text, bad
}

// TestSeedDecides lives some lives twice: the requests are the same, in the same order and at the same times, until two
// are tied.
func TestSeedDecides(t *testing.T) {
	defer acctest.WithLag()()
	compared := 0
	for seed := range uint64(12) {
		once, again := decided(t, seed), decided(t, seed)
		for i := range min(len(once), len(again)) {
			if compared++; once[i] != again[i] {
				t.Errorf("seed %d, request %d:\n%s\n%s", seed, i, once[i], again[i])
				break
			}
		}
	}
	if compared < 300 {
		t.Errorf("only %d requests were compared", compared)
	}
}

// decided returns the requests of a life that its seed decides.
func decided(t *testing.T, seed uint64) (lines []string) {
	t.Helper()
	living(t, false, fmt.Sprintf("seed %d", seed), func(s *scenario) {
		s.witness = func(_ *core.Plan, sent []sandbox.Request) {
			for _, r := range sent {
				if !s.net.tied {
					lines = append(lines, fmt.Sprintf("%s %s %s?%s %s: %d %s", r.Time.Format(time.StampMilli), r.Operation, r.Path,
						r.Query, r.Body, r.Status, r.Response))
				}
			}
		}
		newDraw(s, seed, false).live(seed)
	})
	return lines
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

// TestKeptLives plays the lives that have found bugs, or -file.
func TestKeptLives(t *testing.T) {
	defer acctest.WithLag()()
	files, err := filepath.Glob(cmp.Or(*soakFile, "testdata/lives/*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no lives: %v", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			play(t, path, string(text))
		})
	}
}
