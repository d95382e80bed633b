package show

import (
	"slices"
	"strings"
)

// Sparkline draws numbers as bars of eight heights, the largest the highest. What is not
// nothing is seen.
func Sparkline(numbers []int64) string {
	if len(numbers) == 0 {
		return ""
	}
	bars := []rune("▁▂▃▄▅▆▇█")
	most := max(1, slices.Max(numbers))
	var b strings.Builder
	for _, n := range numbers {
		if n <= 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(bars[(n*int64(len(bars))-1)/most])
	}
	return b.String()
}
