{{/* The pod of a server, the same in a StatefulSet and in a Deployment. */}}
{{- define "kappa.serverPod" -}}
{{- $name := include "kappa.name" . -}}
metadata:
  labels:
    {{- include "kappa.selector" (dict "root" . "part" "server") | nindent 4 }}
  annotations:
    checksum/settings: {{ include (print $.Template.BasePath "/settings.yaml") . | sha256sum }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  securityContext: {{- toYaml .Values.podSecurityContext | nindent 4 }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  # As long as a server takes to leave and jobs may go on, and some for PostgreSQL to stop.
  terminationGracePeriodSeconds: {{ add .Values.servers.leaveSeconds .Values.servers.drainSeconds 45 }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "kappa.selector" (dict "root" . "part" "server") | nindent 10 }}
  {{- with .Values.servers.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.servers.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: kappa
      image: {{ include "kappa.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve, --config, /dev/null]
      securityContext: {{- include "kappa.containerSecurity" . | nindent 8 }}
      ports:
        - {name: http, containerPort: 8000}
      env: {{- include "kappa.serverSecrets" . | nindent 8 }}
      envFrom:
        - configMapRef: {name: {{ $name }}}
        {{- range .Values.settingsFrom }}
        - secretRef: {name: {{ . | quote }}}
        {{- end }}
      # A large database is brought up to date at the start.
      startupProbe:
        httpGet: {path: /livez, port: http, scheme: {{ include "kappa.scheme" . }}}
        periodSeconds: 5
        failureThreshold: 120
      livenessProbe:
        httpGet: {path: /livez, port: http, scheme: {{ include "kappa.scheme" . }}}
        periodSeconds: 10
        timeoutSeconds: 2
      readinessProbe:
        httpGet: {path: /readyz, port: http, scheme: {{ include "kappa.scheme" . }}}
        periodSeconds: 5
        timeoutSeconds: 2
        failureThreshold: 1
      resources: {{- toYaml .Values.servers.resources | nindent 8 }}
      volumeMounts:
        - {name: data, mountPath: /var/lib/kappa}
        - {name: tmp, mountPath: /tmp}
        - {name: shm, mountPath: /dev/shm}
        - {name: secrets, mountPath: /etc/kappa/secrets, readOnly: true}
        {{- if .Values.tls.existingSecret }}
        - {name: tls, mountPath: /etc/kappa/tls, readOnly: true}
        {{- end }}
  volumes:
    {{- if ne .Values.database.mode "embedded" }}
    - name: data
      emptyDir: {}
    {{- end }}
    - name: tmp
      emptyDir: {}
    # PostgreSQL shares memory between its processes.
    - name: shm
      emptyDir: {medium: Memory, sizeLimit: 256Mi}
    - name: secrets
      projected:
        defaultMode: 0440
        sources:
          - secret:
              name: {{ .Values.admin.existingSecret | default (printf "%s-admin" $name) }}
              items: [{key: password, path: admin-password}]
          - secret:
              name: {{ .Values.secretsKey.existingSecret | default (printf "%s-keys" $name) }}
              items: [{key: secrets.key, path: secrets.key}]
    {{- if .Values.tls.existingSecret }}
    - name: tls
      secret: {secretName: {{ .Values.tls.existingSecret }}, defaultMode: 0440}
    {{- end }}
{{- end }}

{{/* What a server is told of secrets in its environment. */}}
{{- define "kappa.serverSecrets" -}}
{{- $name := include "kappa.name" . -}}
{{- if eq .Values.database.mode "external" }}
- name: DATABASE_URL
  valueFrom: {secretKeyRef: {name: {{ .Values.database.external.existingSecret }}, key: {{ .Values.database.external.key }}}}
{{- else if eq .Values.database.mode "cloudnative" }}
- name: DATABASE_URL
  valueFrom: {secretKeyRef: {name: {{ $name }}-db-app, key: uri}}
{{- end }}
{{- if .Values.workers.enabled }}
- name: KG_WORKER_SECRET
  valueFrom: {secretKeyRef: {name: {{ .Values.workers.existingSecret | default (printf "%s-worker" $name) }}, key: secret}}
{{- end }}
{{- if .Values.nats.enabled }}
- name: KG_NATS_URL
  valueFrom: {secretKeyRef: {name: {{ $name }}-nats, key: url}}
{{- else if .Values.nats.existingSecret }}
- name: KG_NATS_URL
  valueFrom: {secretKeyRef: {name: {{ .Values.nats.existingSecret }}, key: {{ .Values.nats.key }}}}
{{- end }}
- name: KG_ADMIN_PASSWORD_FILE
  value: /etc/kappa/secrets/admin-password
- name: KG_SECRETS_KEY_FILE
  value: /etc/kappa/secrets/secrets.key
{{- end }}
