package naming

// EditDistance returns how many bytes must be added, removed or replaced to make b
// of a (Levenshtein 1966). It takes time for the product of the lengths, so both are
// to be short; for letters beyond ASCII it counts bytes.
func EditDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
