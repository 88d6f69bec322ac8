package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/mirror"
)

// recordedLength is how long the animation takes. Output keeps its real rhythm up to this scale; a pause for reading
// follows each command.
const recordedLength = 25 * time.Second

//go:embed record/main.tf
var recordedConfig string

// film collects the lines of a terminal with their times.
type film struct {
	now   time.Duration
	lines []line
}

func (f *film) show(text string) {
	for _, part := range wrap(text) {
		f.lines = append(f.lines, line{at: f.now, text: part})
	}
}

// read lets the time pass that it takes to read so many lines.
func (f *film) read(lines int) {
	f.now += min(800*time.Millisecond+time.Duration(lines)*130*time.Millisecond, 3500*time.Millisecond)
}

// prompt shows a command that is typed.
func (f *film) prompt(command string) {
	f.show("\x1b[32m$\x1b[0m \x1b[1m" + command + "\x1b[0m")
	f.now += 700 * time.Millisecond
}

// note shows a comment.
func (f *film) note(text string) {
	f.show("\x1b[90m# " + text + "\x1b[0m")
	f.now += 900 * time.Millisecond
}

// run shows a command and what it prints, when it prints it. Of several blank lines one is shown.
func (f *film) run(shown string, command *exec.Cmd) error {
	f.prompt(shown)
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	command.Stderr = command.Stdout
	before, began := f.now, time.Now()
	if err := command.Start(); err != nil {
		return err
	}
	count, blank := 0, true
	for scanner := bufio.NewScanner(out); scanner.Scan(); {
		text := strings.TrimRight(scanner.Text(), " ")
		empty := strings.TrimSpace(sequence.ReplaceAllString(text, "")) == ""
		if empty && blank {
			continue
		}
		blank = empty
		f.now = before + time.Since(began).Round(100*time.Millisecond)
		f.show(text)
		count++
	}
	f.read(count)
	if !blank {
		f.show("")
	}
	if err := command.Wait(); err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	return nil
}

// record renders a short run as an animated picture: another system works on the same customer, and time passes.
func record(ctx context.Context, say *report, path string) (err error) {
	shop, err := newWorkshop()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shop.clear()) }()
	if err := shop.prepare(ctx, say); err != nil {
		return err
	}
	dir := filepath.Join(shop.dir, "recorded")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for name, text := range map[string]string{"main.tf": recordedConfig, "versions.tf": fmt.Sprintf(
		"terraform {\n  required_providers {\n    billing = {\n      source  = %q\n      version = %q\n    }\n  }\n}\n",
		mirror.Source, mirror.Version)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	terraform := &terraform{binary: shop.binary, dir: dir, env: append(shop.env, shop.sandbox.environ()...),
		version: shop.release.Version}
	if err := terraform.init(ctx); err != nil {
		return err
	}
	if _, err := terraform.plan(ctx); err != nil {
		return err
	}
	if _, err := terraform.apply(ctx); err != nil {
		return err
	}
	var f film
	if err := f.play(ctx, shop, terraform); err != nil {
		return err
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := render(out, "terraform-provider-billing", f.scaled(recordedLength), recordedLength); err != nil {
		return errors.Join(err, out.Close())
	}
	say.line("Recorded %d lines in %s.", len(f.lines), path)
	return out.Close()
}

// play is what the film shows: shared keys, drift of one field, and a month and a half in a second.
func (f *film) play(ctx context.Context, shop *workshop, terraform *terraform) error {
	command := func(program string, arguments ...string) *exec.Cmd {
		c := exec.CommandContext(ctx, program, arguments...)
		c.Dir, c.Env = terraform.dir, terraform.env
		return c
	}
	f.prompt("cat main.tf")
	for text := range strings.Lines(recordedConfig) {
		f.show(strings.TrimRight(text, "\n"))
	}
	f.read(24)
	f.show("")

	f.note("A CRM adds keys to the customer, and a user edits the notes.")
	service, err := newService(shop.sandbox.env)
	if err != nil {
		return err
	}
	if err := service.changeCustomer(ctx, "aurora", object{
		"custom_metadata_mode": "merge", "custom_metadata": object{"crm": object{"owner": "ana", "score": 87}},
		"notes": "Call first."}); err != nil {
		return err
	}
	f.show("\x1b[36mPATCH\x1b[0m /v1/customers/{id} " + `{"custom_metadata": {"crm": {…}}, "notes": "Call first."}`)
	f.read(8)
	f.show("")

	f.note("The plan shows the notes. The keys of the CRM are not ours and stay.")
	if err := f.run("terraform plan -out=fix", command(shop.binary, "plan", "-input=false", "-out=fix")); err != nil {
		return err
	}
	if err := f.run("terraform apply fix", command(shop.binary, "apply", "-input=false", "fix")); err != nil {
		return err
	}
	f.note("46 days later: the trial is over, and the first invoices exist.")
	if err := f.run("billing-sandbox clock advance 1104h", command(shop.sandbox.program, "clock", "advance",
		"1104h")); err != nil {
		return err
	}
	return f.run("terraform plan", command(shop.binary, "plan", "-input=false"))
}

// scaled is the film in the given length.
func (f *film) scaled(length time.Duration) []line {
	scaled := make([]line, len(f.lines))
	for i, l := range f.lines {
		scaled[i] = line{at: time.Duration(float64(l.at) * float64(length) / float64(f.now)), text: l.text}
	}
	return scaled
}
