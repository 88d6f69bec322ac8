package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/recurring-billing/terraform-provider-billing/internal/sandbox/internal/store"
)

// recordRow is one record of financial management.
type recordRow struct {
	Organization string          `json:"organization"`
	Collection   string          `json:"collection"`
	ID           string          `json:"id"`
	Number       int64           `json:"number"` // the order in which records were made
	Fields       json.RawMessage `json:"fields"` // as they were sent, every digit of a number included
	CreatedAt    instant         `json:"created_at"`
	UpdatedAt    instant         `json:"updated_at"`
}

// recordReply is the answer that a creation with an idempotency key got.
type recordReply struct {
	Record json.RawMessage `json:"record"`
}

// replyID is where the reply to a key is kept.
func replyID(organization, collection, key string) string {
	return collectionKey(organization, collection) + "/" + strings.ToLower(key)
}

// givenByService are the fields of a record that no request may set.
var givenByService = []string{"id", "created_at", "updated_at"}

// recordRules are the fields whose form the description tells
// (service description, Financial management §2); all others are free.
var recordRules = map[string]rule{
	"company_id":  aUUID,
	"occurred_at": both(textWhere("must be a date, or a date with time and zone", momentText.MatchString), moment),
	"amount":      money,
	"type":        oneOf("debit", "credit"),
	"name":        filled,
}

// The patterns are also those of the description. momentText is stricter than
// the parser, which takes hours of one digit and a comma before the fraction.
var (
	moneyText  = regexp.MustCompile(`^\d{1,15}\.\d{2}$`)
	zeroText   = regexp.MustCompile(`^0+\.00$`)
	momentText = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$`)
)

// money is a decimal string with two places, always positive: the direction is
// told elsewhere (service description, Financial management §2).
var money = textWhere("must be money: a positive decimal string with two places, such as \"10.50\"", func(s string) bool {
	return moneyText.MatchString(s) && !zeroText.MatchString(s)
})

// checkRecord holds the fields of a whole record against the rules of its
// collection.
func checkRecord(p problems, collection string, fields map[string]any) {
	for name, check := range recordRules {
		if value, given := fields[name]; given && value != nil {
			check(p, name, value)
		}
	}
	if collection == "accounts" && fields["name"] == nil {
		p["name"] = "is required"
	}
}

// readFields reads the request body as the free-form fields of a record.
func (c *call) readFields() (map[string]any, error) {
	value, err := decode(c.body)
	if err != nil {
		return nil, errMalformed.with("The request body is not valid JSON.")
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, errMalformed.with("The request body must be a JSON object.")
	}
	p := problems{}
	for _, name := range givenByService {
		if _, given := fields[name]; given {
			p[name] = "is set by the service"
		}
	}
	return fields, p.err()
}

// fields are those of the record, without what the service has added.
func (r recordRow) fields() (map[string]any, error) {
	value, err := decode(r.Fields)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", r.ID, err)
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("record %s is no object", r.ID)
	}
	return fields, nil
}

// public is the record as it is answered.
func (r recordRow) public() (map[string]any, error) {
	object, err := r.fields()
	if err != nil {
		return nil, err
	}
	object["id"], object["created_at"], object["updated_at"] = r.ID, r.CreatedAt, r.UpdatedAt
	return object, nil
}

// findRecord finds the record that the path names.
func (c *call) findRecord(tx *store.Tx) (recordRow, error) {
	row, ok := c.server.finance.records.Get(tx, c.path["id"])
	if !ok || row.Organization != c.organization || row.Collection != c.path["collection"] {
		return recordRow{}, errNotFound
	}
	return row, nil
}

// recordsInOrder are an organization's records of a collection, in the order in
// which they were made.
func (s *Server) recordsInOrder(tx *store.Tx, organization, collection string) []recordRow {
	rows := slices.Collect(maps.Values(maps.Collect(s.finance.recordsOf.All(tx, collectionKey(organization, collection)))))
	slices.SortFunc(rows, func(a, b recordRow) int { return int(a.Number - b.Number) })
	return rows
}

var collectionName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// collection is the name in the path. One that cannot be the name of a
// collection is no route.
func (c *call) collection() (string, error) {
	name := c.path["collection"]
	if !collectionName.MatchString(name) {
		return "", errNoRoute
	}
	return name, nil
}
