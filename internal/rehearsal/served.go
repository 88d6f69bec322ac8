package rehearsal

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/recurring-billing/terraform-provider-billing/internal/provider"
)

// served is the provider that runs in this process, for the copy.
type served struct {
	reattach string // the value of TF_REATTACH_PROVIDERS
	stop     func()
}

// quiet removes the variables by which the libraries of providers log to this process's standard error, or to files.
var quiet = sync.OnceValue(func() error {
	for _, one := range os.Environ() {
		if name, _, _ := strings.Cut(one, "="); strings.HasPrefix(strings.ToUpper(name), "TF_LOG") {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	return provider.Prepare(false)
})

// serve serves the provider at an address, with getenv for its environment: it talks to the copy, whatever the
// environment of this process says. It outlives an interrupt, until it is stopped: Terraform kills the process of a
// provider that it does not reach, which is this one.
func serve(ctx context.Context, address string, getenv func(string) string) (*served, error) {
	if err := quiet(); err != nil {
		return nil, err
	}
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	reached, closed, failed := make(chan *plugin.ReattachConfig), make(chan struct{}), make(chan error, 1)
	go func() {
		failed <- tf6server.Serve(address, provider.ServerIn("rehearsal", getenv),
			tf6server.WithDebug(serving, reached, closed),
			tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithoutLogStderrOverride())
	}()
	select {
	case at := <-reached:
		content, err := json.Marshal(map[string]any{address: map[string]any{"Protocol": string(at.Protocol),
			"ProtocolVersion": at.ProtocolVersion, "Pid": at.Pid, "Test": true,
			"Addr": map[string]string{"Network": at.Addr.Network(), "String": at.Addr.String()}}})
		const patience = 5 * time.Second
		return &served{string(content), func() {
			cancel()
			select {
			case <-closed:
			case <-time.After(patience): // a call of Terraform hangs, and ends with this process
			}
		}}, err
	case err := <-failed:
		cancel()
		return nil, err
	case <-ctx.Done():
		cancel()
		return nil, ctx.Err()
	}
}
