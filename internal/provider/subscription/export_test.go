package subscription

// Touches is the table of what each transition can change, for the tests that hold plans and results against it.
func Touches() map[string][]string {
	table := map[string][]string{}
	for t, names := range touches {
		table[string(t)] = names
	}
	return table
}
