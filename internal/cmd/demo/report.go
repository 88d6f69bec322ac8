package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// errLeftOut ends a step that this Terraform cannot play.
var errLeftOut = errors.New("left out")

// report prints what happens, in plain words.
type report struct {
	out      io.Writer
	began    time.Time
	current  string
	outcomes []outcome
}

func (r *report) line(format string, args ...any) {
	fmt.Fprintf(r.out, format+"\n", args...)
}

// story announces a story.
func (r *report) story(s story) {
	r.line("\n%s, over %s", strings.ToUpper(s.name), s.folder)
}

// step announces a step and starts its clock.
func (r *report) step(title string) {
	r.current, r.began = title, time.Now()
	r.line("\n%2d. %s", len(r.outcomes)+1, title)
}

// tell adds a sentence to the step.
func (r *report) tell(format string, args ...any) {
	r.line("    "+format, args...)
}

// quote shows lines of Terraform's own output.
func (r *report) quote(lines []string) {
	for _, line := range lines {
		r.line("      | %s", line)
	}
}

// done ends the step and passes its error on.
func (r *report) done(err error) error {
	o := outcome{title: r.current, took: time.Since(r.began), err: err}
	r.outcomes = append(r.outcomes, o)
	if errors.Is(err, errLeftOut) {
		r.tell("%v", err)
		return nil
	}
	if err != nil {
		r.tell("NOT AS PROMISED: %s", strings.ReplaceAll(err.Error(), "\n", "\n    "))
		return err
	}
	r.tell("ok, %s", seconds(o.took))
	return nil
}

// summary lists the steps that were played, of all there are. It returns
// errBroken unless all of them were and none has failed.
func (r *report) summary(all int) error {
	var total time.Duration
	failed, leftOut := 0, 0
	r.line("\nSUMMARY\n")
	for i, o := range r.outcomes {
		result := "ok"
		switch {
		case errors.Is(o.err, errLeftOut):
			result, leftOut = "left out", leftOut+1
		case o.err != nil:
			result, failed = "FAILED", failed+1
		}
		total += o.took
		r.line("  %2d  %-8s  %6s  %s", i+1, result, seconds(o.took), o.title)
	}
	r.line("")
	if left := all - len(r.outcomes); failed > 0 || left > 0 {
		r.line("  %d of %d steps passed, in %s.", len(r.outcomes)-failed, all, seconds(total))
		return errBroken
	}
	if leftOut > 0 {
		r.line("  %d of %d steps passed, in %s; %d left out.", all-leftOut, all, seconds(total), leftOut)
		return nil
	}
	r.line("  All %d steps passed, in %s.", all, seconds(total))
	return nil
}

func seconds(d time.Duration) string {
	return fmt.Sprintf("%.1fs", d.Seconds())
}
