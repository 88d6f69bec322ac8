package sandbox

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

const controlListener = "control"

// Limits of a connection: a client that stalls must not hold one for ever.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second
	idleTimeout       = 2 * time.Minute
	closeTimeout      = 2 * time.Second
	maxHeaderBytes    = 64 << 10
)

// listen binds all listeners and serves them.
func (s *Server) listen(ctx context.Context) error {
	certificate, err := s.bootstrap.Authority.issue(s.options.Addr)
	if err != nil {
		return err
	}
	for _, l := range []struct {
		name    string
		port    int
		handler http.Handler
	}{
		{string(Billing), s.options.BillingPort, s.serviceHandler(Billing, billingRoutes)},
		{string(Finance), s.options.FinancePort, s.serviceHandler(Finance, financeRoutes)},
		{string(Collections), s.options.CollectionsPort, s.serviceHandler(Collections, collectionsRoutes)},
		{controlListener, s.options.ControlPort, s.controlHandler()},
	} {
		address := net.JoinHostPort(s.options.Addr, strconv.Itoa(l.port))
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		if err != nil {
			return fmt.Errorf("listen for %s on %s: %w", l.name, address, err)
		}
		s.listeners[l.name] = "https://" + listener.Addr().String()
		s.serve(tls.NewListener(listener, tlsConfig(certificate)), l.handler)
	}
	return s.listenWeb(ctx)
}

// serve speaks HTTP/1.1 only: a fault that drops the connection then drops
// that one request's connection, as an HTTP/2 stream error would not.
func (s *Server) serve(listener net.Listener, handler http.Handler) {
	server := &http.Server{
		Handler:           handler,
		Protocols:         new(http.Protocols),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelDebug),
	}
	server.Protocols.SetHTTP1(true)
	s.http = append(s.http, server)
	s.serving.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.options.Logger.Error("serve", "error", err)
		}
	})
}

// stopListening lets the requests under way end, for a moment, and then drops
// what is left of them.
func (s *Server) stopListening() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var errs []error
	for _, server := range s.http {
		if err := server.Shutdown(ctx); err != nil {
			errs = append(errs, server.Close())
		}
	}
	s.serving.Wait()
	return errors.Join(errs...)
}

// writeCAFile puts the authority's certificate where the options say.
func (s *Server) writeCAFile() error {
	path := s.options.CAFile
	if path == "" && s.options.StateFile != "" {
		path = s.options.StateFile + ".ca.pem"
	}
	if path == "" {
		file, err := os.CreateTemp("", "billing-sandbox-*.ca.pem")
		if err != nil {
			return fmt.Errorf("write the CA certificate: %w", err)
		}
		s.caFile, s.temporary = file.Name(), true
		_, err = file.Write(s.CAPEM())
		return errors.Join(err, file.Close())
	}
	// Terraform runs in folders of its own, so a relative path would be lost.
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("place the CA certificate: %w", err)
	}
	s.caFile = path
	if err := os.WriteFile(path, s.CAPEM(), 0o644); err != nil {
		return fmt.Errorf("write the CA certificate: %w", err)
	}
	return nil
}
