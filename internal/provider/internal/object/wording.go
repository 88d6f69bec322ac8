package object

import (
	"context"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/recurring-billing/terraform-provider-billing/internal/api"
	"github.com/recurring-billing/terraform-provider-billing/internal/api/same"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/check"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/metadata"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/private"
	"github.com/recurring-billing/terraform-provider-billing/internal/provider/internal/value"
)

// A service may store a text otherwise than it was sent: trimmed, escaped, in another case or normal form, with a
// default filled in. The state keeps the configuration's text for as long as the service shows what it responded to it.
// textsOf are the attributes with such texts; what is billed or decides has no wording.

// keyWording is the key of the wording in the private state.
var keyWording = private.Key("wording")

// wording is how the service has worded what was sent. It holds only salted hashes of what differs.
type wording struct {
	Salt private.Salt `json:"salt,omitempty"`
	// Shown maps the path of a text to the hash of what the service shows for the text in the state.
	Shown map[string]string `json:"shown,omitempty"`
	// Entries maps the path of a list or set to pairs of hashes: an entry as in the state, and as the service shows it.
	Entries map[string]map[string]string `json:"entries,omitempty"`
}

// wholePath is the path of the whole of a free-form object, in addition to those of its parts.
const wholePath = "*"

const (
	attributeCustom    = "custom_metadata"
	attributeEffective = "effective_custom_metadata"
)

// textsOf lists the arguments that have a wording: those that the schema marks as free texts, and objects in free form.
func textsOf(typeName string, described any) []string {
	if known, ok := textsByType.Load(typeName); ok {
		return known.([]string) //nolint:forcetypeassert // stored below
	}
	whole, _ := described.(schema.Schema)
	var names []string
	for name, a := range whole.Attributes {
		if _, free := a.GetType().(metadata.Type); free || check.IsFreeText(a) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	textsByType.Store(typeName, names)
	return names
}

// textsByType are the results of textsOf.
var textsByType sync.Map

func (w wording) isEmpty() bool { return len(w.Shown)+len(w.Entries) == 0 }

// clone returns a copy that shares nothing.
func (w wording) clone() wording {
	entries := make(map[string]map[string]string, len(w.Entries))
	for path, pairs := range w.Entries {
		entries[path] = maps.Clone(pairs)
	}
	return wording{Salt: w.Salt, Shown: maps.Clone(w.Shown), Entries: entries}
}

func (w *wording) note(path string, shown attr.Value) {
	w.begin()
	w.Shown[path] = w.Salt.Hash(path, shown)
}

func (w *wording) noteEntry(path string, sent, shown attr.Value) {
	w.begin()
	if w.Entries[path] == nil {
		w.Entries[path] = map[string]string{}
	}
	w.Entries[path][w.Salt.Hash(path, sent)] = w.Salt.Hash(path, shown)
}

func (w *wording) begin() {
	if w.Salt == "" {
		w.Salt = private.NewSalt()
	}
	if w.Shown == nil {
		w.Shown = map[string]string{}
	}
	if w.Entries == nil {
		w.Entries = map[string]map[string]string{}
	}
}

// shows reports whether the service shows a value for the one in the state.
func (w wording) shows(path string, shown attr.Value) bool {
	hash, has := w.Shown[path]
	return has && hash == w.Salt.Hash(path, shown)
}

// restore returns the value of the state where the service shows its wording of it, and otherwise what it shows.
func (w wording) restore(path string, state, shown attr.Value) attr.Value {
	if w.isEmpty() || state == nil || shown == nil || state.Equal(shown) || state.IsUnknown() || shown.IsUnknown() {
		return shown
	}
	switch shown := shown.(type) {
	case types.List:
		if before, ok := state.(types.List); ok {
			elements := w.entries(path, before.Elements(), shown.Elements())
			return types.ListValueMust(shown.ElementType(context.Background()), elements)
		}
	case value.StringSet:
		if before, ok := state.(value.StringSet); ok {
			elements := w.entries(path, before.Elements(), shown.Elements())
			return value.StringSet{SetValue: types.SetValueMust(types.StringType, elements)}
		}
	case metadata.Value:
		return w.object(path, state, shown)
	}
	if w.shows(path, shown) {
		return state
	}
	return shown
}

// entries returns the entries of a list with those of the state where the service shows its wording of them. If these
// are all of the state's, they are in its order.
func (w wording) entries(path string, state, shown []attr.Value) []attr.Value {
	restored := slices.Clone(shown)
	left := slices.Clone(state)
	for _, entry := range shown {
		if i := slices.IndexFunc(left, entry.Equal); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	for i, entry := range restored {
		if slices.ContainsFunc(state, entry.Equal) {
			continue
		}
		hash, pairs := w.Salt.Hash(path, entry), w.Entries[path]
		at := slices.IndexFunc(left, func(before attr.Value) bool { return pairs[w.Salt.Hash(path, before)] == hash })
		if at >= 0 {
			restored[i] = left[at]
			left = slices.Delete(left, at, at+1)
		}
	}
	if len(left) == 0 && len(restored) == len(state) {
		return slices.Clone(state)
	}
	return restored
}

func (w wording) object(path string, state attr.Value, shown metadata.Value) attr.Value {
	before, ok := state.(metadata.Value)
	if !ok {
		return shown
	}
	had, err := before.Object()
	has, unread := shown.Object()
	switch {
	case err != nil || unread != nil:
		return shown
	case w.shows(path+wholePath, types.StringValue(metadata.Text(has))):
		return state
	}
	restored, _ := w.tree(path, had, has).(metadata.Object)
	if same.JSON(restored, had) && len(had) > 0 {
		return state
	}
	return metadata.FromObject(restored)
}

func (w wording) tree(path string, state, shown any) any {
	switch shown := shown.(type) {
	case metadata.Object:
		before, _ := state.(metadata.Object)
		restored := make(metadata.Object, len(shown))
		for key, is := range shown {
			restored[key] = w.tree(path+"/"+key, before[key], is)
		}
		return restored
	case []any:
		before, _ := state.([]any)
		if len(before) != len(shown) {
			return shown
		}
		restored := make([]any, len(shown))
		for i := range shown {
			restored[i] = w.tree(path+"/"+indexed, before[i], shown[i])
		}
		return restored
	case string:
		before, isText := state.(string)
		if isText && before != shown && w.Entries[path][w.Salt.Hash(path, types.StringValue(before))] ==
			w.Salt.Hash(path, types.StringValue(shown)) {
			return before
		}
	}
	return shown
}

// indexed stands for an index in a path.
const indexed = "[]"

// restored returns the model of a response with the texts of prior that the service has worded.
func (w wording) restored(texts []string, model, prior any) {
	if w.isEmpty() {
		return
	}
	for _, name := range texts {
		w.into(value.At(model, name), name, value.Field(prior, name))
	}
	if slices.Contains(texts, attributeCustom) {
		field := value.At(model, attributeEffective)
		shown, _ := field.Interface().(types.String)
		before, _ := value.Field(prior, attributeEffective).(types.String)
		field.Set(reflect.ValueOf(w.effective(before, shown)))
	}
}

func (w wording) into(field reflect.Value, name string, prior attr.Value) {
	shown, _ := field.Interface().(attr.Value)
	if restored := w.restore(name, prior, shown); reflect.TypeOf(restored) == field.Type() {
		field.Set(reflect.ValueOf(restored))
	}
}

// effective restores effective_custom_metadata, which has the texts of custom_metadata.
func (w wording) effective(before, shown types.String) types.String {
	had, err := metadata.Parse([]byte(before.ValueString()))
	has, unread := metadata.Parse([]byte(shown.ValueString()))
	switch {
	case err != nil, unread != nil, before.IsNull(), shown.IsNull(), before.IsUnknown(), shown.IsUnknown():
		return shown
	case w.shows(attributeCustom+wholePath, types.StringValue(metadata.Text(has))):
		return before
	}
	restored, _ := w.tree(attributeCustom, had, has).(metadata.Object)
	return types.StringValue(metadata.Text(restored))
}

// satisfied returns the state with the planned texts that the service already shows: writing what it shows into the
// configuration changes only the state.
func (w wording) satisfied(texts []string, state, planned any) {
	if w.isEmpty() {
		return
	}
	for _, name := range texts {
		field, next := value.At(state, name), value.Field(planned, name)
		before, _ := field.Interface().(attr.Value)
		if next == nil || before == nil || next.IsUnknown() || next.Equal(before) ||
			!alike(w.restore(name, before, next), before) {
			continue
		}
		field.Set(reflect.ValueOf(next))
		if name == attributeCustom {
			w.satisfiedEffective(state, next)
		}
	}
}

func (w wording) satisfiedEffective(state any, custom attr.Value) {
	field := value.At(state, attributeEffective)
	before, _ := field.Interface().(types.String)
	had, err := metadata.Parse([]byte(before.ValueString()))
	next, _ := custom.(metadata.Value)
	object, unread := next.Object()
	if err == nil && unread == nil {
		field.Set(reflect.ValueOf(types.StringValue(metadata.Text(metadata.Merge(had, object)))))
	}
}

// alike compares values like means, lists in any order.
func alike(one, other attr.Value) bool {
	return means(context.Background(), one, other)
}

// learned is what a response shows of an attribute that was sent.
type learned int

const (
	sameText  learned = iota // its wording
	otherText                // something else that is kept, with a warning
	lostText                 // less than was sent, or what the object had before: a difference
)

// learn records how the service words an attribute that was sent; before is what the object had.
func (w *wording) learn(path string, sent, shown, before attr.Value) learned {
	delete(w.Shown, path)
	switch sent := sent.(type) {
	case types.List:
		if list, ok := shown.(types.List); ok {
			return w.learnEntries(path, sent.Elements(), list.Elements())
		}
	case value.StringSet:
		if set, ok := shown.(value.StringSet); ok {
			return w.learnEntries(path, sent.Elements(), set.Elements())
		}
	case metadata.Value:
		if object, ok := shown.(metadata.Value); ok {
			return w.learnObject(path, sent, object, before)
		}
	}
	result := compared(sent, shown)
	if result == otherText && before != nil && !before.IsNull() && !sent.IsNull() && shown.Equal(before) {
		result = lostText
	}
	if result != lostText {
		w.note(path, shown)
	}
	return result
}

// amount is a text that may be an amount: a dot in it means something.
var amount = regexp.MustCompile(`^[-+]?[0-9]+([.,][0-9]+)+$`)

// compared compares a text with the one that was sent. Times and amounts have no wording.
func compared(sent, shown attr.Value) learned {
	one, _ := sent.(types.String)
	other, _ := shown.(types.String)
	at, isTime := api.ParseTime(one.ValueString())
	then, _ := api.ParseTime(other.ValueString())
	switch {
	case sent.IsNull():
		return otherText
	case shown.IsNull(), isTime && !at.Equal(then), amount.MatchString(one.ValueString()),
		same.Less(other.ValueString(), one.ValueString()) && !same.URL(one.ValueString(), other.ValueString()):
		return lostText
	case isTime, same.Wording(one.ValueString(), other.ValueString()), same.URL(one.ValueString(), other.ValueString()):
		return sameText
	}
	return otherText
}

// learnEntries pairs the entries that differ: those that are worded, and the rest in order, if as many are left.
func (w *wording) learnEntries(path string, sent, shown []attr.Value) (result learned) {
	delete(w.Entries, path)
	ours, theirs := without(sent, shown), without(shown, sent)
	if len(ours) != len(theirs) {
		return lostText
	}
	pairs := map[string]string{}
	pair := func(i, j int) {
		pairs[w.Salt.Hash(path, ours[i])] = w.Salt.Hash(path, theirs[j])
		result = max(result, comparedEntries(ours[i], theirs[j]))
		ours, theirs = slices.Delete(ours, i, i+1), slices.Delete(theirs, j, j+1)
	}
	w.begin()
	for i := 0; i < len(ours); {
		j := slices.IndexFunc(theirs, func(entry attr.Value) bool { return comparedEntries(ours[i], entry) == sameText })
		if j < 0 {
			i++
			continue
		}
		pair(i, j)
	}
	for len(ours) > 0 {
		pair(0, 0)
	}
	if result == lostText {
		return lostText
	}
	w.Entries[path] = pairs
	return result
}

// without returns the entries that others do not have.
func without(entries, others []attr.Value) []attr.Value {
	return slices.DeleteFunc(slices.Clone(entries), func(entry attr.Value) bool {
		return slices.ContainsFunc(others, entry.Equal)
	})
}

// comparedEntries compares an entry of a list with the one that was sent. The service may add members to an object.
func comparedEntries(sent, shown attr.Value) (result learned) {
	one, isObject := sent.(types.Object)
	other, _ := shown.(types.Object)
	if !isObject {
		return compared(sent, shown)
	}
	shows := other.Attributes()
	for name, part := range one.Attributes() {
		switch is := shows[name]; {
		case is == nil:
			return lostText
		case !part.IsNull() && !part.Equal(is):
			result = max(result, compared(part, is))
		}
	}
	return result
}

// learnObject learns the texts of a free-form object that differ from those that were sent: all of them, or those that
// differ from before.
func (w *wording) learnObject(path string, sent, shown metadata.Value, before attr.Value) learned {
	one, err := sent.Object()
	other, unread := shown.Object()
	if err != nil || unread != nil {
		return lostText
	}
	var had any
	if object, ok := before.(metadata.Value); ok {
		had, _ = object.Object()
	}
	return w.learnTree(path, one, other, had)
}

// learnTree learns a JSON value. One that is the same as before was not sent.
func (w *wording) learnTree(path string, sent, shown, before any) (result learned) {
	switch sent := sent.(type) {
	case metadata.Object:
		other, ok := shown.(metadata.Object)
		if !ok {
			return lostText
		}
		had, _ := before.(metadata.Object)
		for _, key := range slices.Sorted(maps.Keys(sent)) {
			is, there := other[key]
			if there || sent[key] != nil {
				result = max(result, w.learnTree(path+"/"+key, sent[key], is, had[key]))
			}
		}
		return result
	case []any:
		return w.learnList(path+"/"+indexed, sent, shown, before)
	case string:
		if before == any(sent) {
			return sameText
		}
		delete(w.Entries, path)
		return w.learnText(path, sent, shown)
	}
	if !same.JSON(sent, shown) {
		return lostText
	}
	return sameText
}

// learnList learns a list, which is sent as a whole.
func (w *wording) learnList(path string, sent []any, shown, before any) (result learned) {
	other, ok := shown.([]any)
	switch {
	case same.JSON(sent, before):
		return sameText
	case !ok || len(other) != len(sent):
		return lostText
	}
	maps.DeleteFunc(w.Entries, func(of string, _ map[string]string) bool { return strings.HasPrefix(of, path) })
	for i := range sent {
		if text, isText := sent[i].(string); isText {
			result = max(result, w.learnText(path, text, other[i]))
			continue
		}
		result = max(result, w.learnTree(path, sent[i], other[i], nil))
	}
	return result
}

func (w *wording) learnText(path, sent string, shown any) learned {
	other, ok := shown.(string)
	switch {
	case !ok:
		return lostText
	case sent == other:
		return sameText
	}
	result := compared(types.StringValue(sent), types.StringValue(other))
	if result != lostText {
		w.noteEntry(path, types.StringValue(sent), types.StringValue(other))
	}
	return result
}
