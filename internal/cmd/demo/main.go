// Command demo shows the provider at work: it builds the provider and the
// sandbox, starts the sandbox on loopback, and runs real Terraform over the
// examples. Every step checks what it promises.
//
//	go run ./internal/cmd/demo          from the root of the repository
//	go run ./internal/cmd/demo -keep    leaves everything running to play on
//	go run ./internal/cmd/demo -record recording.svg    renders an animation of a short run
//
// The Terraform to run is the one that TERRAFORM or TF_ACC_TERRAFORM_PATH
// names, else the one in PATH.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	keep := flag.Bool("keep", false, "leave the sandbox and the folders, and print how to use them")
	recording := flag.String("record", "",
		"play no scenarios, but render a short run as an animated picture in this `FILE`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	say := &report{out: os.Stdout}
	var err error
	if *recording != "" {
		err = record(ctx, say, *recording)
	} else {
		err = demo(ctx, say, *keep)
	}
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "\ndemo: %v\n", err)
		os.Exit(1)
	}
}

// demo plays all stories. What it started is stopped and what it wrote is
// removed when it returns, unless keep is set and all went well.
func demo(ctx context.Context, say *report, keep bool) (err error) {
	shop, err := newWorkshop()
	if err != nil {
		return err
	}
	kept := false
	defer func() {
		if !kept {
			err = errors.Join(err, shop.clear())
		}
	}()
	if err := shop.prepare(ctx, say); err != nil {
		return err
	}
	stages := make([]*stage, 0, len(stories))
	for _, told := range stories {
		stage, err := shop.stage(told, say)
		if err != nil {
			return err
		}
		stages = append(stages, stage)
		if err := told.play(ctx, stage); err != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return errors.New("interrupted; what was started is stopped, and what was written is removed")
	}
	if err := say.summary(len(stories.steps())); err != nil || !keep {
		return err
	}
	if err := shop.sandbox.today(ctx); err != nil {
		return err
	}
	for _, stage := range stages {
		if err := stage.putUpAgain(ctx); err != nil {
			return err
		}
	}
	kept = true
	return shop.handOver(say)
}
