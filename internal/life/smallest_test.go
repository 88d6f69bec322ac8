package life

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// smallestTime limits the time for making a failure smaller.
const smallestTime = 20 * time.Second

// smallest removes everything from a failing life that the failure does not need: whole steps, then misfortunes and
// arguments. It returns no violation if the steps do not fail again.
func smallest(t *testing.T, steps []step, seed uint64, bad *violation) ([]step, *violation) {
	t.Helper()
	end, kind := time.Now().Add(smallestTime), bad.kind()
	fails := func(candidate []step) bool {
		if time.Now().After(end) {
			return false
		}
		now := relive(t, candidate, false, seed, func(v *violation) bool { return v.kind() == kind })
		if now != nil {
			bad = now
		}
		return now != nil
	}
	if !fails(steps) {
		return steps, nil
	}
	for size := len(steps) / 2; size > 1; size /= 2 {
		for at := 0; at+size <= len(steps); {
			if candidate := slices.Delete(slices.Clone(steps), at, at+size); fails(candidate) {
				steps = candidate
			} else {
				at += size
			}
		}
	}
	for again := true; again; {
		again = false
		for i := len(steps) - 1; i >= 0; i-- {
			if candidate := slices.Delete(slices.Clone(steps), i, i+1); fails(candidate) {
				steps, again = candidate, true
			}
		}
		for i := range steps {
			for _, less := range simpler(steps[i]) {
				candidate := slices.Clone(steps)
				candidate[i] = less
				if fails(candidate) {
					steps, again = candidate, true
					break
				}
			}
		}
	}
	return steps, bad
}

// simpler returns variants of a step that have one thing less.
func simpler(s step) (all []step) {
	for name := range s.Values {
		less := s
		less.Values = maps.Clone(s.Values)
		delete(less.Values, name)
		all = append(all, less)
	}
	for i := range s.Later {
		less := s
		less.Later = slices.Delete(slices.Clone(s.Later), i, i+1)
		all = append(all, less)
	}
	for i := range s.Ignore {
		less := s
		less.Ignore = slices.Delete(slices.Clone(s.Ignore), i, i+1)
		all = append(all, less)
	}
	for i := range s.Meets {
		less := s
		less.Meets = slices.Delete(slices.Clone(s.Meets), i, i+1)
		all = append(all, less)
	}
	if s.By != "" && s.Do == doRun {
		less := s
		less.By = ""
		all = append(all, less)
	}
	if s.Fault != "" {
		less := s
		less.Fault = ""
		all = append(all, less)
	}
	if len(s.Turns) > 0 {
		less := s
		less.Turns = nil
		all = append(all, less)
	}
	if s.CreateFirst {
		less := s
		less.CreateFirst = false
		all = append(all, less)
	}
	return all
}
