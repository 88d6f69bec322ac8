package life

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
)

// TestChaos kills runs of Terraform itself by -lives schedules, starting with -seed; without -lives by one of each
// phase, with -short by two. Each is a scenario with all types, beside objects of another workspace that look like its
// own: what the judge checks after the misfortunes of random lives, and that no secret is in an output, a log at the
// level TRACE, a plan or a state.
func TestChaos(t *testing.T) {
	if acctest.TerraformProgram() == "" {
		t.Skip("needs TF_ACC=1 and terraform")
	}
	t.Run("schedules", func(t *testing.T) {
		few := uint64(len(phases))
		if testing.Short() {
			few = 2
		}
		for i := range cmp.Or(*soakCount, few) {
			seed := cmp.Or(*soakSeed, 1) + i
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				text := scheduled(t, seed)
				if bad := living(t, true, text, (*scenario).playAll); bad != nil {
					commands, _, _ := strings.Cut(text, "-- ")
					t.Errorf("%s\n%s\nmake chaos SEED=%d replays it.", bad, commands, seed)
				}
			})
		}
	})
	fmt.Println(total.counts)
}

// The phases that a schedule disturbs, with the approximate number of their writes.
var phases = []struct {
	name   string
	writes int
}{{"create", 16}, {"create", 16}, {"rotate", 5}, {"update", 13}, {"create", 16}, {"renew", 9}, {"destroy", 14},
	{"renew", 9}}

// scheduled returns the scenario of a seed.
func scheduled(t *testing.T, seed uint64) string {
	t.Helper()
	text, err := os.ReadFile("testdata/chaos.txtar")
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(text)
	phase := phases[seed%uint64(len(phases))]
	lines := []string{fmt.Sprintf("seed %d", seed), "judge", strings.TrimSpace(string(archive.Comment))}
	if phase.name != "create" {
		lines = append(lines, "apply create")
	}
	lines = append(lines, disturbed(rand.New(rand.NewPCG(seed, 10)), phase.writes)...)
	lines = append(lines, "apply "+phase.name)
	scenario := strings.Join(lines, "\n") + "\n-- destroy --\n"
	for name, of := range map[string][4]string{"create": {"1", "1", "1", `"charges:read"`},
		"update": {"2", "1", "1", `"charges:read"`}, "rotate": {"1", "2", "1", `"charges:read"`},
		"renew": {"1", "1", "2", `"charges:read", "payables:read"`}} {
		scenario += "-- " + name + " --\n" + strings.NewReplacer("REVISION", of[0], "ROTATION", of[1], "RENEWAL", of[2],
			"SCOPES", of[3], "CANARY", canary).Replace(string(archive.Files[0].Data))
	}
	return scenario
}

// disturbed draws what a run meets.
func disturbed(r *rand.Rand, writes int) (all []string) {
	if r.IntN(5) > 0 {
		request, signal := fmt.Sprintf("%d of write", 1+r.IntN(writes)), "kill"
		targets := []string{"provider", "terraform", "both"}
		if r.IntN(4) == 0 {
			signal, targets = "interrupt", targets[1:] // a provider ignores it
		}
		if r.IntN(4) == 0 {
			request = strconv.Itoa(1 + r.IntN(60))
		}
		all = append(all, fmt.Sprintf("at request %s: %s %s delay %dms", request, signal, targets[r.IntN(len(targets))],
			r.IntN(200)))
	}
	if len(all) == 0 || r.IntN(5) == 0 {
		all = append(all, fmt.Sprintf("at request %d: outage=%dms", 1+r.IntN(40), 200*(1+r.IntN(10))))
	}
	return all
}
