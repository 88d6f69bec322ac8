package collections

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/delivery"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/collections/netguard"
	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/server"
)

// resolveTimeout bounds the look-up of a name at registration. A name that
// cannot be looked up then is judged when something is sent to it.
const resolveTimeout = 2 * time.Second

// endpointInput is the body of webhook_endpoints.create and .update.
type endpointInput struct {
	URL            *string               `json:"url"`
	Description    *string               `json:"description"`
	Events         []string              `json:"events"`
	Active         *bool                 `json:"active"`
	Authentication *delivery.Credentials `json:"authentication"`
}

var endpointShape = server.Shape{
	"url":            server.Text, // its rules return their own code
	"description":    server.Nullable(server.Text),
	"events":         server.ListOf(server.Filled),
	"active":         server.Boolean,
	"authentication": authentication,
}

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

// readEndpoint reads the body and judges its address as far as it can be
// judged without asking anyone.
func (s *Service) readEndpoint(c *server.Call, required ...string) (in endpointInput, sent map[string]any, err error) {
	if sent, err = c.ReadObject(endpointShape, required, &in); err != nil || in.URL == nil {
		return in, sent, err
	}
	_, err = s.guard.CheckURL(*in.URL)
	return in, sent, refusedURL(err)
}

// apply changes the endpoint as the body says.
func (in endpointInput) apply(row *EndpointRow, sent map[string]any) {
	e := &row.Endpoint
	if in.URL != nil {
		e.URL = *in.URL
	}
	if _, given := sent["description"]; given {
		e.Description = in.Description
	}
	if in.Events != nil {
		e.Events = distinct(in.Events)
	}
	if in.Active != nil {
		e.Active = *in.Active
	}
	if in.Authentication != nil {
		row.setCredentials(*in.Authentication)
	}
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
	if err != nil {
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
