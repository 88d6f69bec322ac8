package delivery

import (
	"encoding/base64"
	"net/http"
)

// The documented kinds of authentication toward the consumer
// (service description, Collections §5).
const (
	None   = "none"
	Basic  = "basic"
	Bearer = "bearer"
	Header = "header"
)

// Credentials are what a request to the consumer carries in addition to the signature.
// Which fields belong to which type is documented; the others are empty.
type Credentials struct {
	Type     string `json:"type"`
	Username string `json:"username,omitempty"` // basic
	Password string `json:"password,omitempty"` // basic
	Token    string `json:"token,omitempty"`    // bearer
	Name     string `json:"name,omitempty"`     // header
	Value    string `json:"value,omitempty"`    // header
}

// header is the header that carries the credentials; an empty name means none.
func (c Credentials) header() (name, value string) {
	switch c.Type {
	case Basic:
		return "Authorization", "Basic " + c.basic()
	case Bearer:
		return "Authorization", "Bearer " + c.Token
	case Header:
		return http.CanonicalHeaderKey(c.Name), c.Value
	default:
		return "", ""
	}
}

func (c Credentials) basic() string {
	return base64.StdEncoding.EncodeToString([]byte(c.Username + ":" + c.Password))
}

// secrets are the texts that must not appear in a delivery's record, even when
// the consumer sends them back.
func (c Credentials) secrets() []string {
	switch c.Type {
	case Basic:
		return []string{c.basic(), c.Password}
	case Bearer:
		return []string{c.Token}
	case Header:
		return []string{c.Value}
	default:
		return nil
	}
}
