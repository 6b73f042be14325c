"""Who is to blame when the user's code fails: the query and the event, in the words of the spec."""

from muntin.spec.errors import MuntinError
from muntin.spec.query import Query


def blame(query: Query, where: object, cause: Exception) -> MuntinError:
    """Raise what the specification raises when a query's code fails there with this cause."""

    def again() -> MuntinError:
        raise cause

    return query.call_user_code(f"{where}", again)
