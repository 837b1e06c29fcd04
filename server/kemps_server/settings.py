"""What the server is told by the environment; options on the command line come first."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from kemps_server.data_folder import DataFolder, default_data_folder
from kemps_server.errors import KempsServerError

DATA_HELP: Final = "The data folder; else KEMPS_DATA_FOLDER, or the platform's own place for it."


class Settings(BaseSettings):
    """Read once, at the command line, and passed on from there."""

    model_config = SettingsConfigDict(env_prefix="KEMPS_", frozen=True, extra="ignore")

    data_folder: Path = Field(
        default_factory=default_data_folder,
        description="The data folder where --data names none; else the platform's own.",
    )
    database: SecretStr | None = Field(
        default=None,
        description="postgresql://USER:PASSWORD@HOST/NAME, to keep games there and not in kemps.sqlite.",
    )
    log_bytes: int = Field(
        default=2_000_000, ge=10_000, description="How long kemps.log grows before the next is begun."
    )

    @property
    def database_address(self) -> str | None:
        """The address of the PostgreSQL database, with its password, if there is one."""
        return None if self.database is None else self.database.get_secret_value()

    def folder(self, named: Path | None) -> DataFolder:
        """The data folder that ``--data`` named, else that of the settings."""
        return DataFolder(self.data_folder if named is None else named)


def read_settings() -> Settings:
    """The settings of this process.

    Raises:
        KempsServerError: A variable of the environment makes no sense; the text names it.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "KEMPS_" + "_".join(str(part) for part in first["loc"]).upper()
        raise KempsServerError(f"{name}: {first['msg'].lower()}; unset it or give another value") from None
