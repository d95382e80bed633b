package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	imageUser = "10001" // kappa in the image
	debian    = "deb http://deb.debian.org/debian bookworm main"
)

// makeImage writes the image for containers: a layer of Debian with the programs of
// PostgreSQL and certificates, and one with ours. It is an OCI layout in a tar file, which
// docker load and podman load read. The layer of Debian is the same as long as Debian's
// packages are.
func (r *release) makeImage(ctx context.Context, t target, programs []string, licences map[string][]byte) error {
	base := filepath.Join(r.work, "base-"+t.arch+".tar")
	if err := r.debianLayer(ctx, t, base); err != nil {
		return err
	}
	own, err := r.ownLayer(programs, licences)
	if err != nil {
		return err
	}
	var layers []v1.Layer
	for _, open := range []tarball.Opener{
		func() (io.ReadCloser, error) { return os.Open(base) },
		func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(own)), nil },
	} {
		layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer))
		if err != nil {
			return err
		}
		layers = append(layers, layer)
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.AppendLayers(image, layers...); err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = t.system, t.arch, v1.Time{Time: r.date}
	config.Config = v1.Config{
		User: imageUser + ":" + imageUser, Entrypoint: []string{"/usr/bin/kg"}, Cmd: []string{"serve"}, WorkingDir: "/var/lib/kappa", StopSignal: "SIGTERM",
		Env:          []string{"PATH=/usr/bin:/bin", "KG_DATA_DIR=/var/lib/kappa", "KG_ADDR=0.0.0.0:8000", "KG_PLAIN_HTTP=1"}, // others reach what a port is published for
		ExposedPorts: map[string]struct{}{"8000/tcp": {}}, Volumes: map[string]struct{}{"/var/lib/kappa": {}},
		Labels: map[string]string{"org.opencontainers.image.title": "Kappa", "org.opencontainers.image.version": r.version, "org.opencontainers.image.revision": r.commit, "org.opencontainers.image.licenses": "MIT"},
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return err
	}
	dir := filepath.Join(r.work, "oci-"+t.arch)
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := path.AppendImage(image, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": r.version, "io.containerd.image.name": "docker.io/library/kappa:" + r.version,
	})); err != nil {
		return err
	}
	return r.packFolder(dir, filepath.Join(r.dist, fmt.Sprintf("kappa-%s-%s-%s-oci.tar", r.version, t.system, t.arch)))
}

// debianLayer makes a Debian with the programs of PostgreSQL, without documentation, and
// without the compiler of queries, which is larger than all the rest.
func (r *release) debianLayer(ctx context.Context, t target, to string) error {
	args := []string{"--quiet", "--mode=root", "--variant=essential", "--architectures=" + t.arch, "--include=ca-certificates,libstdc++6,postgresql-15"}
	for _, path := range []string{"/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*", "/usr/lib/*/libLLVM*", "/usr/lib/postgresql/*/lib/llvmjit*", "/usr/lib/postgresql/*/lib/bitcode/*"} {
		args = append(args, "--dpkgopt=path-exclude="+path)
	}
	args = append(args, "--dpkgopt=path-include=/usr/share/doc/*/copyright",
		`--essential-hook=mkdir -p "$1/etc/postgresql-common" && echo "create_main_cluster = false" >"$1/etc/postgresql-common/createcluster.conf"`,
		`--customize-hook=chroot "$1" useradd --uid `+imageUser+` --user-group --no-create-home --home-dir /var/lib/kappa --shell /usr/sbin/nologin kappa`,
		`--customize-hook=install -d -o `+imageUser+` -g `+imageUser+` -m 0750 "$1/var/lib/kappa"`,
		`--customize-hook=rm -rf "$1"/var/log/* "$1"/var/cache/* "$1"/var/lib/apt/lists/* "$1/etc/resolv.conf" "$1/etc/hostname" "$1"/etc/ssl/private/* "$1/etc/ssl/certs/ssl-cert-snakeoil.pem" "$1"/etc/*-; find "$1/etc/ssl/certs" -xtype l -delete`,
		"bookworm", to, debian)
	return r.run(ctx, []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix())}, "mmdebstrap", args...)
}

// ownLayer returns the layer of our programs and the licences of what is in them.
func (r *release) ownLayer(programs []string, licences map[string][]byte) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, program := range programs {
		text, err := os.ReadFile(program)
		if err != nil {
			return nil, err
		}
		if err := addFile(w, "usr/bin/"+filepath.Base(program), 0o755, r.date, text); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(licences)) {
		if err := addFile(w, "usr/share/doc/kappa/"+name, 0o644, r.date, licences[name]); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// packFolder writes the files of a folder into a tar file, sorted by their names.
func (r *release) packFolder(dir, to string) (err error) {
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := tar.NewWriter(file)
	if err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return addFile(w, strings.TrimPrefix(path, dir+"/"), 0o644, r.date, text)
	}); err != nil {
		return err
	}
	return w.Close()
}
