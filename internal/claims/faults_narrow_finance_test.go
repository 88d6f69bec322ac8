package claims_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"
)

const payables = financePrefix + "/v1/payables"

var narrowFinanceFaults = []fault{
	{name: "a description without Request-Id", only: 701,
		spoil: onDescription(func(in *inFlight) { in.response.Del("Request-Id") })},
	{name: "an unknown payable is 400", only: 704, spoil: responds(http.MethodGet, payables+"/"+nobody, 404, 400)},
	{name: "two pages of one never end", only: 721, spoil: onLastPage(func(in *inFlight) {
		from, is := in.proxy.cursors[in.query.Get("cursor")]
		if is && in.query.Get("limit") == "1" && len(from.page) == 1 && len(in.everything()) == 2 {
			setAt(in.got, "meta.next_cursor", "end")
		}
	})},
	{name: "a collection that never had a record is 404", only: 722, spoil: onPage(func(in *inFlight) {
		if !in.proxy.booked[in.collection()] && len(in.collection()) > 20 {
			in.status = http.StatusNotFound
		}
	})},
	{name: "a page of 3 omits its last record", only: 726, spoil: onFullPage(func(in *inFlight) {
		if list, _ := at(in.got, "data").([]any); in.query.Get("limit") == "3" {
			setAt(in.got, "data", list[:len(list)-1])
		}
	})},
	remembering(grownFault),
	{name: "a record that was not updated has another created_at", only: 752,
		spoil: when(http.MethodGet, oneEntry, func(in *inFlight) {
			if created := at(in.got, "data.created_at"); created != nil && created == at(in.got, "data.updated_at") {
				setAt(in.got, "data.created_at", moment(parse(created).Add(time.Hour)))
			}
		})},
	{name: "a payable again is 200", only: 756, rewrite: onKnownKey(func(in *inFlight, _ object) { in.mark = "again" }),
		spoil: func(in *inFlight) {
			if in.mark == "again" && in.path == payables {
				in.status = http.StatusOK
			}
		}},
	remembering(overtakenFault),
	remembering(sameBodyFault),
	remembering(unforgottenFault),
	{name: "a record can be deleted twice", only: 777, spoil: when(http.MethodDelete, oneEntry,
		func(in *inFlight) {
			if in.status == http.StatusNotFound && in.id() != nobody {
				in.status, in.got = http.StatusNoContent, nil
			}
		})},
}

// everything returns the whole list, whatever page was requested.
func (in *inFlight) everything() []object {
	query := []string{"limit", "100"}
	for name := range in.filters() {
		query = append(query, name, in.query.Get(name))
	}
	return items(in.proxy.ask(http.MethodGet, in.path, nil, query...))
}

// grownFault repeats a record on the page after a creation.
func grownFault() fault {
	grown := map[string]bool{}
	return fault{name: "a growing list repeats a record", only: 727, spoil: func(in *inFlight) {
		onCall(http.MethodPost, books, func(in *inFlight) { grown[in.collection()] = true })(in)
		onPage(func(in *inFlight) {
			from := in.proxy.cursors[in.query.Get("cursor")].page
			if list, _ := at(in.got, "data").([]any); len(from) > 0 && grown[in.collection()] {
				setAt(in.got, "data", append([]any{from[len(from)-1]}, list...))
			}
			grown[in.collection()] = false
		})(in)
	}}
}

// overtakenFault ignores the key of a creation while another creation with the same key is in progress.
func overtakenFault() fault {
	var mu sync.Mutex
	second := map[string]chan struct{}{} // by key: closed when the second request arrives
	return fault{name: "parallel creations ignore each other", only: 760, together: true,
		rewrite: func(in *inFlight) {
			key := in.header.Get(keyHeader)
			in.proxy.mu.Lock()
			_, known := in.proxy.replies[in.collection()+" "+key]
			in.proxy.mu.Unlock()
			if key == "" || known || in.method != http.MethodPost {
				return
			}
			mu.Lock()
			arrived, later := second[key]
			switch {
			case !later:
				arrived = make(chan struct{})
				second[key] = arrived
			case !isClosed(arrived):
				close(arrived)
			}
			mu.Unlock()
			if later {
				in.header.Del(keyHeader)
				return
			}
			select { // without a reply to the first one, the others cannot know of it
			case <-arrived:
			case <-time.After(max(in.proxy.patience, 20*time.Millisecond)): // it is alone
			}
		}}
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// sameBodyFault treats creations with the same body as one.
func sameBodyFault() fault {
	as := map[string]string{}
	return fault{name: "equal bodies create one record", only: 763, rewrite: onCall(http.MethodPost, books,
		func(in *inFlight) {
			key := in.header.Get(keyHeader)
			if as[key] == "" {
				sum := sha256.Sum256(fmt.Append(nil, in.path, in.sent))
				as[key] = fmt.Sprintf("00000000-0000-4000-8000-%x", sum[:6])
			}
			in.header.Set(keyHeader, as[key])
		})}
}

// unforgottenFault keeps listing deleted payables.
func unforgottenFault() fault {
	gone := map[any][]any{}
	return fault{name: "a deleted payable is still listed", only: 776,
		rewrite: when(http.MethodDelete, payables+"/*", func(in *inFlight) {
			if found := in.entry(); found != nil {
				gone[found["company_id"]] = append(gone[found["company_id"]], maps.Clone(found))
			}
		}), spoil: onLastPage(func(in *inFlight) {
			if list, _ := at(in.got, "data").([]any); in.collection() == "payables" {
				setAt(in.got, "data", append(list, gone[in.query.Get("company_id")]...))
			}
		})}
}
