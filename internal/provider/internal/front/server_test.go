package front_test

import (
	"context"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/front"
)

// TestServerOffersAllCalls: whatever the framework's server can do, this one can. terraform-plugin-go finds optional
// calls by type assertion, so a call that a newer version adds would be lost without an error.
func TestServerOffersAllCalls(t *testing.T) {
	t.Parallel()
	ours := reflect.TypeFor[*front.Server]()
	theirs := reflect.TypeOf(providerserver.NewProtocol6(nil)())
	calls := 0
	for method := range theirs.Methods() {
		got, offered := ours.MethodByName(method.Name)
		if !offered {
			t.Errorf("the framework serves %s, and this server does not", method.Name)
			continue
		}
		calls++
		if !signature(got).same(signature(method)) {
			t.Errorf("%s is %s here, and %s in the framework", method.Name, got.Type, method.Type)
		}
	}
	if calls < 30 {
		t.Errorf("only %d calls", calls)
	}
}

// shape are those of the arguments and results of a method without its receiver.
type shape []reflect.Type

func signature(m reflect.Method) (all shape) {
	for i := 1; i < m.Type.NumIn(); i++ {
		all = append(all, m.Type.In(i))
	}
	for out := range m.Type.Outs() {
		all = append(all, out)
	}
	return all
}

func (a shape) same(b shape) bool { return reflect.DeepEqual(a, b) }

type key struct{}

// keeper is a framework that keeps contexts, as the real one does.
type keeper struct {
	front.Framework
	kept []context.Context
}

func (k *keeper) keep(ctx context.Context) {
	child, cancel := context.WithCancel(ctx)
	_ = cancel // as the framework does until StopProvider
	k.kept = append(k.kept, child)
}

func (k *keeper) ReadResource(ctx context.Context,
	_ *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if ctx.Value(key{}) == nil || ctx.Err() != nil {
		panic("the call lost its context")
	}
	k.keep(ctx)
	return &tfprotov6.ReadResourceResponse{}, nil
}

// TestContextIsReleased: nothing that a context refers to stays after the call, even where the framework keeps the
// context.
func TestContextIsReleased(t *testing.T) {
	t.Parallel()
	inner := &keeper{}
	s := &front.Server{Framework: inner}
	gone := make(chan struct{})
	func() {
		large := new([1 << 20]byte)
		runtime.AddCleanup(large, func(struct{}) { close(gone) }, struct{}{})
		if _, err := s.ReadResource(context.WithValue(t.Context(), key{}, large),
			&tfprotov6.ReadResourceRequest{}); err != nil {
			t.Fatal(err)
		}
	}()
	if len(inner.kept) != 1 || inner.kept[0].Err() == nil || inner.kept[0].Value(key{}) != nil {
		t.Fatalf("kept %v", inner.kept)
	}
	for range 100 {
		runtime.GC()
		select {
		case <-gone:
			runtime.KeepAlive(inner)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("the request stays in memory after its call")
}

// waiter is a framework whose read waits for its context.
type waiter struct {
	front.Framework
	reading chan struct{}
}

func (w waiter) ReadResource(ctx context.Context,
	_ *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	child, cancel := context.WithCancel(ctx)
	defer cancel()
	close(w.reading)
	<-child.Done()
	return nil, child.Err()
}

// TestContextIsCanceled: an interrupt reaches a call that runs.
func TestContextIsCanceled(t *testing.T) {
	t.Parallel()
	inner := waiter{reading: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-inner.reading; cancel() }()
	if _, err := (&front.Server{Framework: inner}).ReadResource(ctx, &tfprotov6.ReadResourceRequest{}); err != context.Canceled { //nolint:errorlint // it is what Err returns
		t.Errorf("the read ended with %v", err)
	}
}
