"""What an administrator sets up once on an installed server: TLS, PostgreSQL."""
