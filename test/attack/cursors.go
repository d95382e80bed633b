package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// withCursors are the lists that are read on by a cursor.
var withCursors = []string{"/jobs", "/admin/audit", "/artifacts", "/concepts", "/documents", "/edges", "/sources"}

// attackCursors sends cursors that were altered or made up. Each is refused, or taken for a
// page of the list that it is asked for.
func attackCursors(ctx context.Context, t *target, out *tally) error {
	for _, path := range withCursors {
		for _, cursor := range cursors() {
			out.try()
			a, err := t.send(ctx, request{method: "GET", path: path + "?limit=2&cursor=" + url.QueryEscape(cursor), token: t.admin.token})
			if err != nil {
				out.hole("%s with the cursor %.60q: %v", path, cursor, err)
				continue
			}
			if a.status != 422 && a.status != 400 && a.status != 431 && a.status != 200 || a.status == 200 && strings.Contains(cursor, "'") {
				out.hole("%s with the cursor %.60q: %d %s", path, cursor, a.status, a.body)
			}
		}
	}
	return nil
}

// cursors are made-up cursors: of other lists, of too many keys, too large, no numbers, no
// JSON, and what databases misread.
func cursors() []string {
	all := []string{"x", "\x00", "%00", "null", "{}", "..", strings.Repeat("A", 100_000), "' OR 1=1 --", "0; DROP TABLE kg_api.jobs"}
	for _, list := range []string{"jobs", "documents", "sources", "concepts", "edges", "artifacts", "audit", "", "' OR '1'='1", "none"} {
		for _, keys := range []string{"", "1", "-1", "0", "1,2", "1,2,3", "1,2,3,4,5,6,7,8,9", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e400", "1.5", "null", `"1"`, `"' OR 1=1"`, "[1]", "{}"} {
			text := fmt.Sprintf(`{"l":%q,"k":[%s]}`, list, keys)
			all = append(all, base64.RawURLEncoding.EncodeToString([]byte(text)), base64.StdEncoding.EncodeToString([]byte(text)))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
