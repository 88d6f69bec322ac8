//go:build linux

package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/recurring-billing/terraform-provider-billing/internal/acctest"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
)

// How a child serves.
const (
	// asServed is this provider as its program serves it.
	asServed = "this provider"
	// asFramework is this provider as the framework serves every provider, which is also how releases up to 0.1 served it.
	asFramework = "this provider, served by the framework"
	// asEmpty is a provider without logic that the framework serves.
	asEmpty = "empty provider, 30 flat attributes"
)

// task is what a child process measures.
type task struct {
	Serve  string
	Object acctest.Recording
	Plans  int
	// Copies is the id of the object, copies of which are refreshed from a list instead; "" plans the object itself.
	Copies string
}

// cost is what a child process reports for one plan of one object.
type cost struct {
	CPU                time.Duration
	Bytes, Allocations uint64
}

// measured makes a child process that does a task and reports its cost. Each has its own process, because the log,
// the collector and the heap belong to a process. Its log is read, as Terraform reads it.
func measured(t *testing.T, env map[string]string, do task) cost {
	t.Helper()
	text, err := json.Marshal(do)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0])
	for name, value := range env {
		child.Env = append(child.Env, name+"="+value)
	}
	child.Env = append(child.Env, "BENCH_TASK="+string(text))
	var log lastBytes
	child.Stderr = &log
	out, err := child.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", do.Serve, err, log.text)
	}
	var c cost
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return c
}

func median(costs []cost) cost {
	slices.SortFunc(costs, func(a, b cost) int { return int(a.CPU - b.CPU) })
	return costs[len(costs)/2]
}

// lastBytes keeps the end of what is written to it.
type lastBytes struct{ text []byte }

func (b *lastBytes) Write(p []byte) (int, error) {
	b.text = append(b.text, p...)
	b.text = b.text[max(0, len(b.text)-4096):]
	return len(p), nil
}

// perform is a child process.
func perform(text string) error {
	var do task
	if err := json.Unmarshal([]byte(text), &do); err != nil {
		return err
	}
	if do.Serve == asServed {
		if err := provider.Prepare(false); err != nil {
			return err
		}
	}
	s, object, err := start(do)
	if err != nil {
		return err
	}
	// each does what is measured, for so many objects at a time.
	each, step, warmUp := func() error { return s.plan(object) }, 1, 20
	if do.Copies != "" {
		step, warmUp = refreshed, refreshed
		each = func() error {
			s, _, err := start(do) // a provider of its own: an object is refreshed once in a run
			if err != nil {
				return err
			}
			return s.refresh(object, do.Copies)
		}
	}
	var before, after runtime.MemStats
	var began time.Duration
	for i := 0; i < do.Plans+warmUp; i += step {
		if i == warmUp {
			runtime.ReadMemStats(&before)
			began = cpu()
		}
		if err := each(); err != nil {
			return err
		}
	}
	took := cpu() - began
	runtime.ReadMemStats(&after)
	n := uint64(do.Plans)
	return json.NewEncoder(os.Stdout).Encode(cost{CPU: took / time.Duration(do.Plans),
		Bytes: (after.TotalAlloc - before.TotalAlloc) / n, Allocations: (after.Mallocs - before.Mallocs) / n})
}

// start makes a configured provider, and the object to measure it with.
func start(do task) (*served, acctest.Recording, error) {
	var server tfprotov6.ProviderServer
	switch do.Serve {
	case asServed:
		server = provider.Server("bench")()
	case asFramework:
		server = providerserver.NewProtocol6(provider.New("bench")())()
	case asEmpty:
		server = providerserver.NewProtocol6(emptyProvider{})()
	}
	s := &served{reflect.ValueOf(tf6server.New("recurring-billing/billing", server))}
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, do.Object, err
	}
	none := schemas.Provider.ValueType().(tftypes.Object)
	nothing := map[string]tftypes.Value{}
	for name, attribute := range none.AttributeTypes {
		nothing[name] = tftypes.NewValue(attribute, nil)
	}
	config, err := tfprotov6.NewDynamicValue(none, tftypes.NewValue(none, nothing))
	if err != nil {
		return nil, do.Object, err
	}
	if do.Serve == asEmpty {
		do.Object = emptyObject(schemas.ResourceSchemas["empty_thing"].ValueType())
	}
	return s, do.Object, s.call("ConfigureProvider", fields{"Config": config.MsgPack}, nil)
}

// cpu is the processor time of this process.
func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// served is a provider behind the server of the protocol. The types of its messages are internal to
// terraform-plugin-go, so messages are made by reflection.
type served struct{ server reflect.Value }

// fields are those of a message: texts, bytes of JSON in a RawState, and MessagePack elsewhere.
type fields map[string]any

func (s *served) plan(o acctest.Recording) error {
	name := fields{"TypeName": o.TypeName}
	with := func(more fields) fields {
		for key, value := range name {
			more[key] = value
		}
		return more
	}
	if err := s.call("ValidateResourceConfig", with(fields{"Config": o.Config}), nil); err != nil {
		return err
	}
	if err := s.call("UpgradeResourceState", with(fields{"RawState": o.StateJSON}), nil); err != nil {
		return err
	}
	if err := s.read(o); err != nil {
		return err
	}
	return s.call("PlanResourceChange", with(fields{"Config": o.Config, "PriorState": o.State, "ProposedNewState": o.State,
		"PriorPrivate": o.Private, "PriorIdentity": o.Identity}),
		func(response reflect.Value) error { return same(response, "PlannedState", o.State) })
}

func (s *served) read(o acctest.Recording) error {
	return s.call("ReadResource", fields{"TypeName": o.TypeName, "CurrentState": o.State, "Private": o.Private,
		"CurrentIdentity": o.Identity}, func(response reflect.Value) error { return same(response, "NewState", o.State) })
}

// same is an error unless a value of a response is the one of the request: as long, because the order of attributes
// differs.
func same(response reflect.Value, field string, want []byte) error {
	got := response.FieldByName(field).Elem().FieldByName("Msgpack").Bytes()
	if bytes.Equal(got, want) {
		return nil
	}
	sort := func(b []byte) []byte { b = slices.Clone(b); slices.Sort(b); return b }
	if !slices.Equal(sort(got), sort(want)) {
		return fmt.Errorf("%s is\n%q, want\n%q", field, got, want)
	}
	return nil
}

// call sends a message, and fails for every diagnostic of the response.
func (s *served) call(rpc string, values fields, check func(response reflect.Value) error) error {
	ctx, cancel := context.WithCancel(context.Background()) // gRPC ends the context of a call too
	defer cancel()
	method := s.server.MethodByName(rpc)
	message := reflect.New(method.Type().In(1).Elem())
	for name, value := range values {
		field := message.Elem().FieldByName(name)
		content, isBytes := value.([]byte)
		switch {
		case isBytes && content == nil:
		case field.Kind() == reflect.Pointer:
			field.Set(reflect.New(field.Type().Elem()))
			inner := field.Elem().FieldByName("Msgpack")
			if name == "RawState" {
				inner = field.Elem().FieldByName("Json")
			}
			if strings.HasSuffix(name, "Identity") {
				data := field.Elem().FieldByName("IdentityData")
				data.Set(reflect.New(data.Type().Elem()))
				inner = data.Elem().FieldByName("Msgpack")
			}
			inner.SetBytes(content)
		case isBytes:
			field.SetBytes(content)
		default:
			field.Set(reflect.ValueOf(value))
		}
	}
	results := method.Call([]reflect.Value{reflect.ValueOf(ctx), message})
	if err, _ := results[1].Interface().(error); err != nil {
		return err
	}
	response := results[0].Elem()
	if diagnostics := response.FieldByName("Diagnostics"); diagnostics.Len() > 0 {
		return fmt.Errorf("%s: %v", rpc, diagnostics.Index(0).Interface())
	}
	if check != nil {
		return check(response)
	}
	return nil
}

// recorded are an unchanged customer, account and subscription with much that a configuration can name.
func recorded(t *testing.T, s *acctest.Service) []acctest.Recording {
	t.Helper()
	record := func(typeName string, config acctest.JSON) (*acctest.Direct, acctest.Recording) {
		d := s.Direct(typeName)
		d.Set(config)
		d.Refresh()
		return d, d.Record(config)
	}
	owner, customer := record("billing_customer", acctest.JSON{"name": "Padaria Aurora", "external_id": "aurora",
		"document_number": "529.982.247-25", "email": "ana@aurora.example", "phone": "+5511999990000",
		"notes": "Opens at six", "tags": []any{"bakery", "vip"}, "create_billing_account": false})
	var id string
	if err := json.Unmarshal([]byte(owner.Text("id")), &id); err != nil {
		t.Fatal(err)
	}
	holder, account := record("billing_account", acctest.JSON{"customer_id": id,
		"external_id": "aurora-1", "billing_email": "accounts@aurora.example", "payment_terms_days": 15})
	if err := json.Unmarshal([]byte(holder.Text("id")), &id); err != nil {
		t.Fatal(err)
	}
	_, subscription := record("billing_subscription", acctest.JSON{"billing_account_id": id, "external_id": "aurora-1-s",
		"plan_id": "5b0f7d52-8f0a-4a35-9d7e-6f6f1f0c2a01", "notes": "Yearly"})
	return []acctest.Recording{customer, account, subscription}
}

// TestRPC (make bench) measures what the plan of one unchanged object costs the provider: the four calls of a plan,
// over the server of the protocol, with one request to a service in another process.
func TestRPC(t *testing.T) {
	if os.Getenv("BENCH") == "" {
		t.Skip("takes minutes; make bench runs it")
	}
	const plans, rounds = 100, 3
	s := acctest.Start(t)
	s.NeedsSandbox("its requests are for measurements")
	objects := recorded(t, s)
	all := map[string][]cost{}
	for range rounds {
		all[asEmpty] = append(all[asEmpty], measured(t, nil, task{Serve: asEmpty, Plans: plans}))
		for _, object := range objects {
			for _, serve := range []string{asServed, asFramework} {
				key := object.TypeName + ", " + serve
				all[key] = append(all[key], measured(t, s.Sandbox.Env(), task{Serve: serve, Object: object, Plans: plans}))
			}
		}
	}
	empty := median(all[asEmpty])
	for _, object := range objects {
		now, before := median(all[object.TypeName+", "+asServed]), median(all[object.TypeName+", "+asFramework])
		t.Logf("%-22s %s, %d kB, %d allocations: %.2f of the framework's server (%s), %.2f of the empty provider (%s)",
			object.TypeName, now.CPU.Round(time.Microsecond), now.Bytes/1000, now.Allocations,
			float64(now.CPU)/float64(before.CPU), before.CPU.Round(time.Microsecond), float64(now.CPU)/float64(empty.CPU),
			empty.CPU.Round(time.Microsecond))
	}
}
