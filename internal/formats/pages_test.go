package formats

import (
	"strings"
	"testing"
)

func TestJoinPages(t *testing.T) {
	solid := strings.Repeat("Glaciersareriversoficethatmeltin", 10)
	for name, c := range map[string]struct {
		pages []string
		want  string
		says  string
	}{
		"two pages may be alike":         {[]string{"Top\na", "Top\nb"}, "Top\na\n\nTop\nb", ""},
		"of few pages each must have it": {[]string{"Top\na", "Top\nb", "Top\nc", "d"}, "Top\na\n\nTop\nb\n\nTop\nc\n\nd", ""},
		"most of many pages have it":     {[]string{"Cover", "Top\na", "Top\nb", "Top\nc", "Top\nd", "Top\ne", "Top\nf"}, "Cover\n\na\n\nb\n\nc\n\nd\n\ne\n\nf", "Left out what repeats on most pages: [\"Top\"]"},
		"left and right pages differ":    {[]string{"L\na", "R\nb", "L\nc", "R\nd", "L\ne", "R\nf", "L\ng", "R\nh", "L\ni", "R\nj"}, "a\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng\n\nh\n\ni\n\nj", "repeats on most pages"},
		"half of the pages is not most":  {[]string{"Top\na", "b", "c", "Top\nd", "Top\ne", "f", "g"}, "Top\na\n\nb\n\nc\n\nTop\nd\n\nTop\ne\n\nf\n\ng", ""},
		"blank pages do not count":       {[]string{"Top\na", "", "Top\nb", "Top\nc"}, "a\n\nb\n\nc", "Page 2 has no text layer"},
		"alike pages stay":               {[]string{"same", "same", "same"}, "same\n\nsame\n\nsame", ""},
		"the middle of a page stays":     {[]string{"1\n2\n3\nx\n4\n5\n6", "a\nb\nc\nx\nd\ne\nf", "g\nh\ni\nx\nj\nk\nl"}, "1\n2\n3\nx\n4\n5\n6\n\na\nb\nc\nx\nd\ne\nf\n\ng\nh\ni\nx\nj\nk\nl", ""},
		"numbers of pages go up":         {[]string{"A 1\na", "A 2\nb", "A 3\nc"}, "a\n\nb\n\nc", "repeats on most pages"},
		"anew in each chapter":           {[]string{"1-1\na", "1-2\nb", "1-3\nc", "2-1\nd", "2-2\ne", "2-3\nf"}, "a\n\nb\n\nc\n\nd\n\ne\n\nf", "repeats on most pages"},
		"a date with the number":         {[]string{"7.5. 12\na", "7.5. 13\nb", "7.5. 14\nc", "7.5. 17\nd"}, "a\n\nb\n\nc\n\nd", "repeats on most pages"},
		"numbers of tables stay":         {[]string{"Sum 7\na", "Sum 2\nb", "Sum 4\nc", "Sum 1\nd"}, "Sum 7\na\n\nSum 2\nb\n\nSum 4\nc\n\nSum 1\nd", ""},
		"pages of one line stay":         {[]string{"Cover\nItem 1", "Item 2", "Item 3", "Item 4"}, "Cover\nItem 1\n\nItem 2\n\nItem 3\n\nItem 4", ""},
		"words without their spaces":     {[]string{solid}, solid, "Page 1 has text that seems to have lost its spaces"},
		"several pages without words":    {[]string{"a", " ", "\n"}, "a", "Pages 2, 3 have no text layer"},
	} {
		d := joinPages(c.pages)
		if d.Text != c.want || !strings.Contains(strings.Join(d.Warnings, ". "), c.says) || (c.says == "" && len(d.Warnings) > 0) {
			t.Errorf("%s: got %q and %q, want %q and %q", name, d.Text, d.Warnings, c.want, c.says)
		}
	}
}
