package subscription

// Touches is what each transition can change, for the tests that hold plans and results against it.
func Touches() map[string][]string {
	table := map[string][]string{}
	for _, t := range transitions {
		table[t.name] = t.touches
	}
	return table
}
