package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"
)

// service speaks to recurring billing over plain HTTP requests, next to the
// provider and its client: it is the other systems that change things, and
// the witness of what the service really has.
type service struct {
	base, token               string
	financeBase, financeToken string
	collections               string // the address of that service
	client                    *http.Client
}

// object is a JSON object.
type object = map[string]any

func newService(env map[string]string) (*service, error) {
	pem, err := os.ReadFile(env["BILLING_CA_CERTIFICATE_FILE"])
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New("the sandbox's CA file holds no certificate")
	}
	return &service{base: env["BILLING_BASE_URL"], token: env["BILLING_TOKEN"],
		collections: env["BILLING_COLLECTIONS_BASE_URL"], financeBase: env["BILLING_FINANCE_BASE_URL"],
		financeToken: env["BILLING_FINANCE_TOKEN"],
		client: &http.Client{
			Timeout:   30 * time.Second,
			Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}},
		}}, nil
}

// call makes a request and decodes the response. A response of 300 or above is
// an error.
func (s *service) call(ctx context.Context, method, path string, body, into any) error {
	return s.send(ctx, s.token, method, s.base+path, body, into)
}

// finance is call for financial management.
func (s *service) finance(ctx context.Context, method, path string, body, into any) error {
	return s.send(ctx, s.financeToken, method, s.financeBase+path, body, into)
}

func (s *service) send(ctx context.Context, token, method, address string, body, into any) error {
	payload, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(payload))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, address, err)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s: %s", method, address, response.Status, content)
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s %s: read the response: %w", method, address, err)
	}
	return nil
}

// try asks the collections service for something with an API key, and returns
// the status.
func (s *service) try(ctx context.Context, key string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.collections+"/api/v1/webhook-endpoints", http.NoBody)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// customers counts the customers that there are.
func (s *service) customers(ctx context.Context) (int, error) {
	var response struct{ Meta struct{ Total int } }
	err := s.call(ctx, http.MethodGet, "/v1/customers", nil, &response)
	return response.Meta.Total, err
}

// customer reads one customer by its external_id.
func (s *service) customer(ctx context.Context, externalID string) (object, error) {
	var response struct{ Data []object }
	if err := s.call(ctx, http.MethodGet, "/v1/customers?external_id="+url.QueryEscape(externalID), nil,
		&response); err != nil {
		return nil, err
	}
	if len(response.Data) != 1 {
		return nil, fmt.Errorf("%d customers have the external_id %q", len(response.Data), externalID)
	}
	return response.Data[0], nil
}

// createCustomer creates a customer.
func (s *service) createCustomer(ctx context.Context, customer object) error {
	var response object
	return s.call(ctx, http.MethodPost, "/v1/customers", customer, &response)
}

// changeCustomer changes fields of a customer.
func (s *service) changeCustomer(ctx context.Context, externalID string, fields object) error {
	customer, err := s.customer(ctx, externalID)
	if err != nil {
		return err
	}
	var response object
	return s.call(ctx, http.MethodPatch, "/v1/customers/"+url.PathEscape(fmt.Sprint(customer["id"])), fields, &response)
}

// subscription reads the subscription with an external_id, which one that is
// canceled may have too.
func (s *service) subscription(ctx context.Context, externalID string) (object, error) {
	var response struct{ Data []object }
	if err := s.call(ctx, http.MethodGet, "/v1/subscriptions?external_id="+url.QueryEscape(externalID), nil,
		&response); err != nil {
		return nil, err
	}
	live := slices.DeleteFunc(response.Data, func(o object) bool { return o["status"] == "canceled" })
	if len(live) != 1 {
		return nil, fmt.Errorf("%d live subscriptions have the external_id %q", len(live), externalID)
	}
	return live[0], nil
}
