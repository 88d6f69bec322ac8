package acctest

// Recording is what Terraform sends about an object that did not change, as it is on the wire: for measurements.
type Recording struct {
	TypeName string
	// Config and State are MessagePack, StateJSON is what the state file holds, and Identity is MessagePack.
	Config, State, StateJSON, Private, Identity []byte
}

// Record records the object with the configuration that it was set to.
func (d *Direct) Record(config JSON) Recording {
	d.t.Helper()
	r := Recording{TypeName: d.typeName, Private: d.private, StateJSON: []byte(text(d.t, d.state)),
		Config: d.encode(object(d.t, d.schema, config)).MsgPack, State: d.encode(d.state).MsgPack}
	if d.identity != nil {
		r.Identity = d.identity.IdentityData.MsgPack
	}
	return r
}
