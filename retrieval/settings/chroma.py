"""The `[chroma]` table of `knowledge.toml`: a server that holds the vectors for several hosts."""

import re
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

# Chroma's rule is 3 to 512 characters of these; what is appended to the name needs 40.
_NAME = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9._-]{1,448})[a-zA-Z0-9]")
_PRINTABLE = re.compile(r"[!-~]+")


class ChromaSection(BaseModel):
    """Where the vectors lie when several hosts share them. Without `url`, in the state folder."""

    # The input is not repeated in errors, because it may hold the token.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    url: str | None = Field(
        default=None,
        description="server, such as `https://chroma.internal:8000`; without a value the vectors "
        "lie in the state folder",
    )
    collection: str | None = Field(
        default=None, description="name of this knowledge base there, the same on every host"
    )
    tenant: str = Field(
        default="default_tenant", description="tenant of the server that the collection lies in"
    )
    database: str = Field(
        default="default_database",
        description="database of the tenant that the collection lies in",
    )
    token: SecretStr | None = Field(
        default=None,
        description="what the server asks for; best from the environment: `LOOKUP_CHROMA__TOKEN`",
    )
    token_header: Literal["X-Chroma-Token", "Authorization"] = Field(
        default="X-Chroma-Token",
        description="header of the token; `Authorization` sends it as a bearer token",
    )

    @field_validator("url")
    @classmethod
    def _plain_url(cls, url: str | None) -> str | None:
        if url is None:
            return None
        try:
            parts = urlsplit(url)
            _ = parts.port
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("it must be like http://host:8000")
        if parts.username is not None or parts.password is not None:
            raise ValueError("it must hold no user and password; the token has a setting")
        if parts.path.strip("/") or parts.query or parts.fragment:
            raise ValueError("it must end after the host and the port")
        return url

    @field_validator("collection")
    @classmethod
    def _chroma_name(cls, name: str | None) -> str | None:
        if name is not None and not _NAME.fullmatch(name):
            raise ValueError(
                "it must have 3 to 450 characters: letters, digits, and . _ - between them"
            )
        return name

    @field_validator("token")
    @classmethod
    def _header_value(cls, token: SecretStr | None) -> SecretStr | None:
        if token is not None and not _PRINTABLE.fullmatch(token.get_secret_value()):
            raise ValueError("it must be printable ASCII without blanks")
        return token

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.url is not None and self.collection is None:
            raise ValueError("`url` needs `collection`, a name that every host uses")
        return self
