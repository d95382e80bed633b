package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"strings"
)

// attackArchives has archives of the graph checked and restored that were altered: bytes
// that are flipped, cut or put in the place of others, and files of other kinds with paths
// in them. None is taken, and the graph stays as it is.
func attackArchives(ctx context.Context, t *target, out *tally) error {
	whole, err := t.send(ctx, request{method: "POST", path: "/admin/backup", token: t.admin.token})
	if err != nil || whole.status != 200 {
		return fmt.Errorf("make an archive: %w, %d %s", err, whole.status, whole.body)
	}
	text := []byte(whole.body)
	seed := rand.New(rand.NewPCG(1, 2))
	var altered [][]byte
	for range 60 {
		flipped := bytes.Clone(text)
		flipped[seed.IntN(len(flipped))] ^= byte(1 + seed.IntN(255))
		altered = append(altered, flipped, text[:seed.IntN(len(text))])
	}
	altered = append(altered, nil, []byte("x"), bytes.Repeat([]byte{0}, 1000), append(bytes.Clone(text), text...), append(bytes.Clone(text), 0),
		archive(map[string][]byte{"../../../../etc/cron.d/x": []byte("x"), "/etc/passwd": []byte("x"), "a\x00b": nil, `..\..\x`: nil}),
		[]byte("\x28\xb5\x2f\xfd\xa4\x00\x00\x00\xff"), // a window of gigabytes
	)
	for i, a := range altered {
		for _, path := range []string{"/admin/backup/verify", "/admin/restore?mode=replace"} {
			out.try()
			got, err := t.upload(ctx, path, a)
			switch {
			case err != nil:
				out.hole("archive %d at %s: %v", i, path, err)
			case got.status >= 500, strings.Contains(path, "restore") && got.status < 400, strings.Contains(path, "verify") && strings.Contains(got.body, `"valid":true`):
				out.hole("archive %d of %d bytes at %s: %d %s", i, len(a), path, got.status, got.body)
			}
		}
	}
	return nil
}

// upload sends a file in a form.
func (t *target) upload(ctx context.Context, path string, file []byte) (answer, error) {
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("file", "../../../x")
	if err != nil {
		return answer{}, err
	}
	if _, err := io.Copy(part, bytes.NewReader(file)); err != nil {
		return answer{}, err
	}
	if err := form.Close(); err != nil {
		return answer{}, err
	}
	return t.send(ctx, request{method: "POST", path: path, token: t.admin.token, contentType: form.FormDataContentType(), body: b.String()})
}
