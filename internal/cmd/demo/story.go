package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A story is a run of steps over one folder of the examples. Each step continues where the one before it has stopped;
// the last one leaves nothing behind.
type story struct {
	name   string // also the name of its folder in the workshop
	folder string // the example, from the root of the repository
	steps  []step
}

// A step does one thing and checks what its title promises: run fails when
// the promise is not kept.
type step struct {
	title string
	run   func(context.Context, *stage) error
}

// A program is the stories in the order they are played.
type program []story

// stories is what the demo plays. A new story is its own file and a
// line here.
var stories = program{customers, subscriptions, collections, finance}

func (p program) steps() []step {
	var all []step
	for _, told := range p {
		all = append(all, told.steps...)
	}
	return all
}

// stage is what the steps of one story play on.
type stage struct {
	terraform *terraform
	service   *service
	sandbox   *sandbox
	receiver  *receiver
	say       *report
	// remembered is what a step has noted for a later one.
	remembered map[string]string
}

// play runs the steps until one fails. Every story begins today, wherever the
// one before it has moved the sandbox's clock.
func (s story) play(ctx context.Context, on *stage) error {
	on.say.story(s)
	if err := errors.Join(on.sandbox.today(ctx), on.terraform.init(ctx)); err != nil {
		on.say.step("terraform init")
		return on.say.done(err)
	}
	for _, step := range s.steps {
		on.say.step(step.title)
		if err := on.say.done(step.run(ctx, on)); err != nil {
			return err
		}
	}
	return nil
}

// putUpAgain applies the configuration as the story has left it.
func (s *stage) putUpAgain(ctx context.Context) error {
	if _, err := s.terraform.plan(ctx); err != nil {
		return err
	}
	_, err := s.terraform.apply(ctx)
	return err
}

// planEmpty checks that there is nothing to do.
func (s *stage) planEmpty(ctx context.Context) error {
	_, err := s.nothingToDo(ctx)
	return err
}

// nothingToDo checks that the plan is empty, and returns it for what the
// refresh has found.
func (s *stage) nothingToDo(ctx context.Context) (*plan, error) {
	plan, err := s.terraform.plan(ctx)
	if err != nil {
		return nil, err
	}
	s.say.quote(plan.headlines())
	if !plan.empty {
		return nil, fmt.Errorf("the plan is not empty:\n%s", plan.text)
	}
	return plan, nil
}

// applyWatched applies, shows what the services were asked, and returns the
// operations that change something, in their order.
func (s *stage) applyWatched(ctx context.Context) (changing []string, err error) {
	asked, err := s.sandbox.asked(ctx, func() error {
		_, err := s.terraform.apply(ctx)
		return err
	})
	for _, request := range asked {
		s.say.tell("  > %s", request)
		if request.Method != http.MethodGet {
			changing = append(changing, request.Operation)
		}
	}
	return changing, err
}

// expectRequests applies, and checks which requests change something, in their
// order.
func (s *stage) expectRequests(ctx context.Context, wanted ...string) error {
	changing, err := s.applyWatched(ctx)
	if err == nil && !slices.Equal(changing, wanted) {
		err = fmt.Errorf("the service was asked for %v, not for %v", changing, wanted)
	}
	return err
}

// expectWarning checks that Terraform has warned, and shows the warning.
func (s *stage) expectWarning(text, title string) error {
	warned := warning(text, title)
	s.say.quote(warned)
	if len(warned) == 0 {
		return fmt.Errorf("there is no warning %q:\n%s", title, text)
	}
	return nil
}

// remember notes something for a later step.
func (s *stage) remember(name, value string) {
	if s.remembered == nil {
		s.remembered = map[string]string{}
	}
	s.remembered[name] = value
}

// write puts a file into the story's folder.
func (s *stage) write(name, content string) error {
	return os.WriteFile(filepath.Join(s.terraform.dir, name), []byte(content), 0o600)
}

// edit replaces a text that occurs exactly once in a file of the story's
// folder, as a person would who edits the configuration.
func (s *stage) edit(name, from, to string) error {
	content, err := os.ReadFile(filepath.Join(s.terraform.dir, name))
	if err != nil {
		return err
	}
	if found := strings.Count(string(content), from); found != 1 {
		return fmt.Errorf("%q stands %d times in %s, not once", from, found, name)
	}
	return s.write(name, strings.Replace(string(content), from, to, 1))
}

// errBroken is the demo's result when a step has failed. The step itself has
// said why.
var errBroken = errors.New("a step was not as promised")

// outcome is one step that has been played.
type outcome struct {
	title string
	took  time.Duration
	err   error
}
