package demo

import (
	"fmt"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// madeDocuments returns two short documents of formats that have to be decoded, which the
// demo writes itself: a PDF of two pages and an HTML page.
func madeDocuments() []document {
	made := []document{
		{path: "made/glaciers.pdf", body: pdf(
			[]string{
				"Glaciers are rivers of ice. A glacier forms where more snow falls than melts.",
				"The snow is pressed to ice, and the ice flows down the valley under its own weight.",
				"Meltwater below the glacier makes it slide faster.",
			},
			[]string{
				"A moraine is a ridge of rock that a glacier has left.",
				"Warm summers cause the retreat of glaciers. The retreat of a glacier leads to new lakes.",
				"A lake behind a moraine can cause a flood when the moraine breaks.",
			},
		)},
		{path: "made/rivers.html", body: []byte(`<!doctype html>
<html lang="en"><head><title>Rivers</title><style>body { color: #123 }</style></head>
<body><h1>Rivers</h1>
<p>A river is fed by rain, by springs and by the meltwater of glaciers.</p>
<h2>Floods</h2>
<p>Heavy rain causes floods. A flood plain is a part of the valley that a flood covers.</p>
<p>A dam prevents floods, and a dam produces electricity.</p>
<h2>Deltas</h2>
<p>Sediment is rock that a river carries. A delta is made of sediment where the river meets the sea.</p>
<script>alert("never read")</script></body></html>
`)},
	}
	for i := range made {
		made[i].hash = corpus.ContentHash(made[i].body)
	}
	return made
}

// pdf writes a PDF whose pages show these lines. They are ASCII, without parentheses
// and backslashes.
func pdf(pages ...[]string) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	var kids strings.Builder
	for _, lines := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", len(objects)+1)
		content := "BT /F1 12 Tf 14 TL 50 750 Td (" + strings.Join(lines, ") Tj T* (") + ") Tj ET"
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", len(objects)+2),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(pages))
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	var table strings.Builder
	fmt.Fprintf(&table, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := b.Len()
	fmt.Fprintf(&b, "%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", table.String(), len(objects)+1, at)
	return []byte(b.String())
}
