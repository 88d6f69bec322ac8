package collections

import (
	"context"
	"encoding/json"
	"errors"
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

// secretPrefix marks an endpoint's secret
// (service description, Collections §2 Webhook endpoint).
const secretPrefix = "whsec_"

// webhookEndpoint is an endpoint on the wire
// (wire contract: webhook_endpoints.get).
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

// publicAuthentication is what responses show of the credentials: not password, token
// and value.
type publicAuthentication struct {
	Type     string  `json:"type"`
	Username *string `json:"username,omitempty"`
	Name     *string `json:"name,omitempty"`
}

type withSecret struct {
	webhookEndpoint
	Secret string `json:"secret"`
}

// EndpointRow is an endpoint as the tables keep it.
type EndpointRow struct {
	server.Owned
	Number      int64                `json:"number"`
	Endpoint    webhookEndpoint      `json:"endpoint"`
	Secret      string               `json:"secret"`
	Credentials delivery.Credentials `json:"credentials"`
}

// newSecret gives the endpoint another secret, which it returns. The one before
// is deleted, so it is invalid immediately.
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

// SetSecret gives an endpoint this secret.
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

// resolveTimeout bounds the look-up of a name at registration. A name that
// cannot be looked up then is judged when something is sent to it.
const resolveTimeout = 2 * time.Second

var (
	endpointShape = server.Shape{
		"url":            server.Text, // its rules return their own code
		"description":    server.Nullable(server.Text),
		"events":         server.ListOf(server.Filled),
		"active":         server.Boolean,
		"authentication": authentication,
	}
	endpointCreate = server.Form{Shape: endpointShape, Required: []string{"url"}}
	endpointUpdate = server.Form{Shape: endpointShape}
)

// credentialFields are the fields that belong to each type, all of them
// required (service description, Collections §5; wire contract:
// webhook_endpoints.create).
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
	// ownHeaders are set by the sender or by the protocol.
	ownHeaders = []string{"Content-Type", "Content-Length", "Transfer-Encoding", "Connection",
		"Host", "User-Agent", "Trailer", "Upgrade", "Te"}
)

// authentication checks an object of one of the documented types.
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
	for name, check := range fields {
		required = append(required, name)
		whole[name] = check
	}
	whole.Check(p, path+".", object, required)
}

// printable is what a header's value may hold.
func printable(s string) bool {
	return strings.TrimSpace(s) != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// token is the name of a header (RFC 9110 §5.6.2).
func token(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// apply changes the endpoint as the body says, unless its address cannot receive webhooks, as far as that can be judged
// without asking anyone.
func (s *Service) apply(row *EndpointRow, in server.Body) error {
	in.Into(&row.Endpoint, "authentication")
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

// distinct returns a set's members once each, in the order they came.
func distinct(members []string) []string {
	set := []string{}
	for _, member := range members {
		if !slices.Contains(set, member) {
			set = append(set, member)
		}
	}
	return set
}

// resolveURL rejects an endpoint whose name leads into an internal network.
// It asks the resolver, so it runs before the transaction. Whatever else is
// wrong with the body is for the operation to say.
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

// refusedURL is the documented rejection of an address.
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

// createEndpoint serves webhook_endpoints.create, one of the two responses that
// show the secret.
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

// updateEndpoint serves webhook_endpoints.update. Other credentials of the same
// type change nothing visible except updatedAt.
func (s *Service) updateEndpoint(c *server.Call, tx *store.Tx, row EndpointRow) (server.Reply, error) {
	before := row
	if err := s.apply(&row, c.Sent); err != nil {
		return server.Reply{}, err
	}
	if c.Sent.Has("authentication") || !reflect.DeepEqual(before, row) {
		row.Endpoint.UpdatedAt = row.Endpoint.UpdatedAt.Next(c.Now)
		s.Endpoints.Put(tx, row.Endpoint.ID, row)
	}
	return s.showEndpoint(c, tx, row)
}

// deleteEndpoint serves webhook_endpoints.delete. Its open deliveries end at
// their next attempt.
func (s *Service) deleteEndpoint(_ *server.Call, tx *store.Tx, row EndpointRow) (server.Reply, error) {
	s.Endpoints.Delete(tx, row.Endpoint.ID)
	return server.Reply{Status: http.StatusNoContent}, nil
}

func (s *Service) rotateSecret(c *server.Call, tx *store.Tx, row EndpointRow) (server.Reply, error) {
	secret := s.newSecret(&row)
	row.Endpoint.UpdatedAt = row.Endpoint.UpdatedAt.Next(c.Now)
	s.Endpoints.Put(tx, row.Endpoint.ID, row)
	return c.Single(http.StatusOK, withSecret{row.Endpoint, secret}, row.Endpoint.UpdatedAt.Time), nil
}

// testEndpoint serves webhook_endpoints.test: an event without a business fact,
// to this endpoint alone and whatever it is subscribed to.
func (s *Service) testEndpoint(c *server.Call, tx *store.Tx, row EndpointRow) (server.Reply, error) {
	test := happening{organization: c.Organization, at: c.Now, name: eventTest, data: struct{}{}}
	eventID, err := s.storeEvent(tx, test)
	if err != nil {
		return server.Reply{}, err
	}
	scheduled := s.schedule(tx, row, eventID, test)
	return c.Single(http.StatusAccepted, map[string]string{"eventId": eventID, "deliveryId": scheduled.ID}, c.Now), nil
}
