#!/bin/sh
# Creates the house's role when the PostgreSQL container starts with an empty volume.
set -e
psql --username "${POSTGRES_USER:-postgres}" --dbname "$POSTGRES_DB" \
    --set ON_ERROR_STOP=1 --set password="$CASINO_DB_PASSWORD" <<'SQL'
CREATE ROLE casino LOGIN PASSWORD :'password';
SQL
