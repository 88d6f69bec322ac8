package collections

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/netguard"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// secretPrefix is the prefix of an endpoint's secret (service description, Collections §2 Webhook endpoint).
const secretPrefix = "whsec_"

// webhookEndpoint is an endpoint as returned (wire contract: webhook_endpoints.get).
type webhookEndpoint struct {
	ID             string               `json:"id"`
	URL            string               `json:"url"`
	Description    *string              `json:"description"`
	Events         []string             `json:"events"`
	Active         bool                 `json:"active"`
	Authentication publicAuthentication `json:"authentication"`
	CreatedAt      server.Timestamp     `json:"createdAt"`
	UpdatedAt      server.Timestamp     `json:"updatedAt"`
}

// publicAuthentication contains the returned parts of the credentials, without password, token and value.
type publicAuthentication struct {
	Type     string  `json:"type"`
	Username *string `json:"username,omitempty"`
	Name     *string `json:"name,omitempty"`
}

type withSecret struct {
	webhookEndpoint
	Secret string `json:"secret"`
}

// EndpointRow is a stored endpoint.
type EndpointRow struct {
	server.Owned
	Number      int64                `json:"number"`
	Endpoint    webhookEndpoint      `json:"endpoint"`
	Secret      string               `json:"secret"`
	Credentials delivery.Credentials `json:"credentials"`
	// ForwardTo is the local address that gets the deliveries of a listener; empty for other endpoints.
	ForwardTo string `json:"forward_to,omitempty"`
}

// newSecret generates and returns a new secret. The old one becomes invalid immediately.
func (s *Service) newSecret(row *EndpointRow) string {
	row.Secret = secretPrefix + s.Source.Hex(32)
	return row.Secret
}

func (r *EndpointRow) setCredentials(credentials delivery.Credentials) {
	r.Credentials = credentials
	r.Endpoint.Authentication = publicAuthentication{Type: credentials.Type}
	switch credentials.Type {
	case delivery.Basic:
		r.Endpoint.Authentication.Username = &credentials.Username
	case delivery.Header:
		r.Endpoint.Authentication.Name = &credentials.Name
	}
}

// SetSecret sets the secret of an endpoint.
func (s *Service) SetSecret(tx *store.Tx, id, secret string) {
	row, _ := s.Endpoints.Get(tx, id)
	row.Secret = secret
	s.Endpoints.Put(tx, id, row)
}

// SecretOf returns the secret of an endpoint of any organization.
func (s *Service) SecretOf(id string) (secret string, err error) {
	err = s.DB.View(func(tx *store.Tx) error {
		row, ok := s.Endpoints.Get(tx, id)
		if !ok {
			return server.ErrNotFound.With("There is no webhook endpoint with this id.")
		}
		secret = row.Secret
		return nil
	})
	return secret, err
}

// resolveTimeout limits name resolution at registration. If it fails, the name is checked before each request to it.
const resolveTimeout = 2 * time.Second

var (
	endpointShape = server.Shape{
		"url":            server.Text, // its rules return their own error code
		"description":    server.Nullable(server.Text),
		"events":         server.ListOf(server.Filled),
		"active":         server.Boolean,
		"authentication": {Check: authentication, Schema: authenticationSchema},
	}
	endpointCreate = server.Form{Shape: endpointShape, Required: []string{"url"}}
	endpointUpdate = server.Form{Shape: endpointShape}
)

// credentialFields are the fields of each type, all of them required (service description, Collections §5; wire
// contract: webhook_endpoints.create).
var credentialFields = map[string]server.Shape{
	delivery.None: {},
	delivery.Basic: {
		"username": server.TextWhere("must be one line without a colon",
			func(s string) bool { return printable(s) && !strings.Contains(s, ":") }),
		"password": oneLine,
	},
	delivery.Bearer: {"token": oneLine},
	delivery.Header: {"name": headerName, "value": oneLine},
}

var (
	oneLine    = server.TextWhere("must be one line and not empty", printable)
	headerName = server.TextWhere("must be the name of a header that the service does not set itself",
		func(s string) bool {
			name := http.CanonicalHeaderKey(s)
			return token(s) && !strings.HasPrefix(name, "X-Webhook-") && !slices.Contains(ownHeaders, name)
		})
	// ownHeaders are set by the sender or the protocol.
	ownHeaders = []string{"Content-Type", "Content-Length", "Transfer-Encoding", "Connection",
		"Host", "User-Agent", "Trailer", "Upgrade", "Te"}
)

// authentication validates an object of one of the documented types.
func authentication(p server.Problems, path string, value any) {
	object, ok := value.(map[string]any)
	if !ok {
		p[path] = "must be an object"
		return
	}
	kind, _ := object["type"].(string)
	fields, known := credentialFields[kind]
	if !known {
		p[path+".type"] = "must be one of: none, basic, bearer, header"
		return
	}
	var required []string
	whole := server.Shape{"type": server.Text}
	for name, rule := range fields {
		required = append(required, name)
		whole[name] = rule
	}
	whole.Check(p, path+".", object, required)
}

// authenticationSchema is the schema of authentication.
var authenticationSchema = func() server.Schema {
	var types []any
	for _, kind := range slices.Sorted(maps.Keys(credentialFields)) {
		whole := server.Shape{"type": server.OneOf(kind)}
		maps.Copy(whole, credentialFields[kind])
		types = append(types, whole.Schema(slices.Collect(maps.Keys(whole))))
	}
	return server.Schema{"oneOf": types}
}()

// printable reports whether a header may have this value.
func printable(s string) bool {
	return strings.TrimSpace(s) != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// token matches the name of a header (RFC 9110 §5.6.2).
func token(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// apply updates the endpoint from the body. It rejects addresses that cannot receive webhooks, as far as this is known
// without name resolution.
func (s *Service) apply(row *EndpointRow, in server.Body) error {
	before := row.Endpoint.URL
	in.Into(&row.Endpoint, "authentication")
	if row.Endpoint.URL != before {
		row.ForwardTo = "" // it is the endpoint of another receiver now
	}
	row.Endpoint.Events = distinct(row.Endpoint.Events)
	if credentials := server.Sent[delivery.Credentials](in, "authentication"); credentials != nil {
		row.setCredentials(*credentials)
	}
	if !in.Has("url") {
		return nil
	}
	_, err := s.guard.CheckURL(row.Endpoint.URL)
	return refusedURL(err)
}

// distinct removes duplicates and keeps the order.
func distinct(members []string) []string {
	set := []string{}
	for _, member := range members {
		if !slices.Contains(set, member) {
			set = append(set, member)
		}
	}
	return set
}

// resolveURL rejects an endpoint whose name resolves to an internal network. It runs before the transaction, because it
// waits for the resolver. Other problems of the body are left to the operation.
func (s *Service) resolveURL(ctx context.Context, c *server.Call) error {
	var in struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(c.Body, &in) != nil {
		return nil
	}
	host, err := s.guard.CheckURL(in.URL)
	if err != nil || s.Copy {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	if _, err := s.guard.Resolve(limited, host); errors.Is(err, netguard.ErrInternal) {
		return refusedURL(err)
	}
	return nil
}

// refusedURL is the documented error for an address.
func refusedURL(err error) error {
	if err == nil {
		return nil
	}
	return errInvalidURL.With("The address cannot receive webhooks: " + err.Error() + ".").
		About(map[string]any{"fields": map[string]string{"url": err.Error()}})
}

func (s *Service) endpoints() server.Kind[EndpointRow, webhookEndpoint] {
	return server.Kind[EndpointRow, webhookEndpoint]{
		Table: s.Endpoints,
		Show:  func(_ *server.Call, _ *store.Tx, r EndpointRow) webhookEndpoint { return r.Endpoint },
		Order: func(a, b EndpointRow) int {
			return inOrder(a.Endpoint.CreatedAt.Time, b.Endpoint.CreatedAt.Time, a.Number, b.Number)
		},
	}
}

// createEndpoint serves webhook_endpoints.create, one of the two operations that return the secret.
func (s *Service) createEndpoint(c *server.Call, tx *store.Tx) (server.Reply, error) {
	row := EndpointRow{Owned: server.Owned{Organization: c.Organization}, Number: s.Next(tx), Endpoint: webhookEndpoint{
		ID: s.Source.UUID(), Active: true,
		CreatedAt: server.Timestamp{Time: c.Now}, UpdatedAt: server.Timestamp{Time: c.Now},
	}}
	row.setCredentials(delivery.Credentials{Type: delivery.None})
	if err := s.apply(&row, c.Sent); err != nil {
		return server.Reply{}, err
	}
	secret := s.newSecret(&row)
	s.Endpoints.Put(tx, row.Endpoint.ID, row)
	return c.Single(http.StatusCreated, withSecret{row.Endpoint, secret}, c.Now), nil
}

func (s *Service) showEndpoint(c *server.Call, _ *store.Tx, row EndpointRow) (server.Reply, error) {
	return c.Single(http.StatusOK, row.Endpoint, row.Endpoint.UpdatedAt.Time), nil
}

// updateEndpoint serves webhook_endpoints.update. New credentials of the same type change no visible field except
// updatedAt.
func (s *Service) updateEndpoint(c *server.Call, tx *store.Tx, row EndpointRow) (server.Reply, error) {
	before := row
	if err := s.apply(&row, c.Sent); err != nil {
		return server.Reply{}, err
	}
	if c.Sent.Has("authentication") || !reflect.DeepEqual(before, row) {
		row.Endpoint.UpdatedAt = row.Endpoint.UpdatedAt.Next(c.Now)
		s.Endpoints.Put(tx, row.Endpoint.ID, row)
	}
	if row.Endpoint.Active != before.Endpoint.Active {
		s.auditEndpoint(c, tx, row, before.Endpoint.status(), row.Endpoint.status())
	}
	return s.showEndpoint(c, tx, row)
}

// deleteEndpoint serves webhook_endpoints.delete. Its open deliveries are given up at their next attempt.
func (s *Service) deleteEndpoint(c *server.Call, tx *store.Tx, row EndpointRow) (server.Reply, error) {
	s.remove(tx, row)
	s.auditEndpoint(c, tx, row, row.Endpoint.status(), server.Deleted)
	return server.Reply{Status: http.StatusNoContent}, nil
}

func (e webhookEndpoint) status() string {
	if e.Active {
		return "active"
	}
	return "inactive"
}

// remove removes an endpoint, and keeps its address for its deliveries.
func (s *Service) remove(tx *store.Tx, row EndpointRow) {
	s.Endpoints.Delete(tx, row.Endpoint.ID)
	row.Credentials = delivery.Credentials{}
	s.Removed.Put(tx, row.Endpoint.ID, row)
}

// EndpointOf returns an endpoint by its id, also one that has been removed. It is zero if there never was one.
func (s *Service) EndpointOf(tx *store.Tx, id string) (endpoint EndpointRow, removed bool) {
	endpoint, there := s.Endpoints.Get(tx, id)
	if !there {
		endpoint, _ = s.Removed.Get(tx, id)
	}
	return endpoint, !there
}

// auditEndpoint records a change of an endpoint in the audit trail. The query of an address may be a password.
func (s *Service) auditEndpoint(c *server.Call, tx *store.Tx, row EndpointRow, before, after string) {
	name, _, _ := strings.Cut(row.Endpoint.URL, "?")
	s.Audit(tx, c.Audited("endpoint", row.Endpoint.ID, name).Moved(before, after))
}

func (s *Service) rotateSecret(c *server.Call, tx *store.Tx, row EndpointRow) (server.Reply, error) {
	secret := s.newSecret(&row)
	s.auditEndpoint(c, tx, row, "", "")
	row.Endpoint.UpdatedAt = row.Endpoint.UpdatedAt.Next(c.Now)
	s.Endpoints.Put(tx, row.Endpoint.ID, row)
	return c.Single(http.StatusOK, withSecret{row.Endpoint, secret}, row.Endpoint.UpdatedAt.Time), nil
}

// testEndpoint serves webhook_endpoints.test: it sends a test event to this endpoint only, regardless of its
// subscriptions.
func (s *Service) testEndpoint(c *server.Call, tx *store.Tx, row EndpointRow) (server.Reply, error) {
	test := happening{organization: c.Organization, at: c.Now, name: eventTest, data: struct{}{},
		cause: server.ByRequest, requestID: c.RequestID}
	eventID, err := s.storeEvent(tx, test)
	if err != nil {
		return server.Reply{}, err
	}
	made := s.schedule(tx, row, eventID, test)
	return c.Single(http.StatusAccepted, scheduled{EventID: eventID, DeliveryID: made.ID}, c.Now), nil
}
