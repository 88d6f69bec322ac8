package billing

import (
	"encoding/json"
	"testing"
)

func TestCreateMatches(t *testing.T) {
	t.Parallel()
	create := CustomerCreate{
		Name: "Ana", ExternalID: new("e1"), Nickname: new("An"), LegalName: new("Ana Ltda"),
		DocumentNumber: new("529.982.247-25"), Kind: new("natural"), Birthday: new("1990-01-02"), Email: new("a@b.c"),
		Phone: new("1"), Notes: new(""), Addresses: []Address{{City: new("Recife")}, {City: new("Natal")}},
		Emails: []Contact{{Value: "x@y.z"}}, Websites: []Contact{{Kind: new("k"), Value: "w"}}, Tags: []string{"a", "b", "b"},
		CustomMetadata: json.RawMessage(`{"n":9007199254740993,"f":1.50,"k":[1,{"z":null}]}`),
	}
	var same Customer
	read := func() Customer {
		same = Customer{}
		err := json.Unmarshal(
			[]byte(`{"id":"c1","name":"Ana","external_id":"e1","nickname":"An","legal_name":"Ana Ltda","document_number":"52998224725",
			"kind":"natural","birthday":"1990-01-02","notes":null,"addresses":[{"city":"Natal","complement":null},{"city":"Recife"}],"phones":[{"value":"1"}],
			"emails":[{"value":"a@b.c"},{"value":"x@y.z"}],"websites":[{"kind":"k","value":"w"}],"tags":["b","a","b"],
			"custom_metadata":{"k":[1.0,{"z":null}],"f":15e-1,"n":9007199254740993}}`), &same)
		if err != nil {
			t.Fatal(err)
		}
		return same
	}
	if !create.matches(read()) {
		t.Error("the same customer does not match")
	}
	if minimal := (CustomerCreate{Name: "Ana"}); !minimal.matches(read()) {
		t.Error("what was left out is compared")
	}
	for name, change := range map[string]func(*Customer){
		"name":        func(c *Customer) { c.Name = "Bia" },
		"external_id": func(c *Customer) { c.ExternalID = nil },
		"nickname":    func(c *Customer) { c.Nickname = new("x") },
		"legal_name":  func(c *Customer) { c.LegalName = nil },
		"document":    func(c *Customer) { c.DocumentNumber = new("52998224726") },
		"kind":        func(c *Customer) { c.Kind = new("juridical") },
		"birthday":    func(c *Customer) { c.Birthday = new("1990-01-03") },
		"notes":       func(c *Customer) { c.Notes = new("x") },
		"address":     func(c *Customer) { c.Addresses[0].City = new("Olinda") },
		"more":        func(c *Customer) { c.Addresses = append(c.Addresses, Address{}) },
		"phone":       func(c *Customer) { c.Phones = nil },
		"email":       func(c *Customer) { c.Emails = c.Emails[1:] },
		"website":     func(c *Customer) { c.Websites[0].Kind = nil },
		"tags":        func(c *Customer) { c.Tags = []string{"a", "a", "b"} },
		"metadata": func(c *Customer) {
			c.CustomMetadata = json.RawMessage(`{"n":9007199254740992,"f":1.5,"k":[1,{"z":null}]}`)
		},
		"no metadata":  func(c *Customer) { c.CustomMetadata = nil },
		"bad metadata": func(c *Customer) { c.CustomMetadata = json.RawMessage(`{`) },
	} {
		c := read()
		change(&c)
		if create.matches(c) {
			t.Errorf("%s: a different customer matches", name)
		}
	}
}
