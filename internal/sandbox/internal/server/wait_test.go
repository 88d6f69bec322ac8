package server

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if err := Wait(t.Context(), time.Minute); err != nil || time.Since(begin) != time.Minute {
			t.Errorf("waited %v, %v", time.Since(begin), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin = time.Now()
		if err := Wait(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Second {
			t.Errorf("waited %v, %v", time.Since(begin), err)
		}
	})
}

// The log drops its oldest lines, so that it does not grow without limit.
func TestRequestLogIsBounded(t *testing.T) {
	t.Parallel()
	var log RequestLog
	for range logCapacity + 1 {
		log.add(Request{})
	}
	kept := log.Since(0)
	if len(kept) != logCapacity/2+1 || kept[len(kept)-1].Sequence != logCapacity+1 {
		t.Errorf("%d lines, the last is number %d", len(kept), kept[len(kept)-1].Sequence)
	}
	if newer := log.Since(logCapacity); len(newer) != 1 {
		t.Errorf("%d lines after number %d", len(newer), logCapacity)
	}
}
