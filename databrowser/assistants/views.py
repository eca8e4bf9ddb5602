"""The address of the Model Context Protocol, and two files that tell programs what there is.

Each message is a POST of its own and is answered at once with JSON: nothing is stored, there are no
sessions and no streams.

Source: Model Context Protocol, Streamable HTTP, revision 2025-11-25; JSON-RPC 2.0; RFC 9727 and
RFC 9264 (catalogue of APIs); https://llmstxt.org.
"""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import View

from databrowser.assistants.tools import TOOLS
from databrowser.publication.serving import QueriesUnavailable
from filing.errors import Refusal
from filing.storable_text import decode_json

# The newest first: a client that wants another one gets it.
PROTOCOL_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26")
_PARSE_ERROR, _INVALID_REQUEST, _METHOD_NOT_FOUND, _INVALID_PARAMS = -32700, -32600, -32601, -32602


class DiscoveryView(View):
    """An address that is there only if the setting says so."""

    def dispatch(self, request: HttpRequest, *args: Any, **where: Any) -> HttpResponseBase:
        if not settings.ASSISTANTS_ENABLED:
            raise Http404("This site has no tools for assistants: ASSISTANTS_ENABLED is off.")
        return super().dispatch(request, *args, **where)


class RpcError(Exception):
    """The error that answers a message. code: of JSON-RPC."""

    def __init__(self, code: int, message: str, status: int = 200) -> None:
        super().__init__(message)
        self.code, self.message, self.status = code, message, status


# Nobody signs in here, so there is nothing that another site could do in somebody's name.
@method_decorator(csrf_exempt, name="dispatch")
class AssistantView(DiscoveryView):
    """The only address of the protocol."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponse:
        number: Any = None
        try:
            message = _read_message(request)
            number = message.get("id")
            if number is None:
                return HttpResponse(status=202)  # a notification
            result = _answer(message["method"], message.get("params") or {})
        except RpcError as error:
            body = {"code": error.code, "message": error.message}
            answer = {"jsonrpc": "2.0", "id": number, "error": body}
            return JsonResponse(answer, status=error.status)
        return JsonResponse({"jsonrpc": "2.0", "id": number, "result": result})


def _read_message(request: HttpRequest) -> dict[str, Any]:
    try:
        message = decode_json(request.body)
    except ValueError as error:
        raise RpcError(_PARSE_ERROR, f"The body is not JSON: {error}", 400) from error
    is_message = (
        isinstance(message, dict)
        and isinstance(message.get("method"), str)
        and isinstance(message.get("params") or {}, dict)
        and isinstance(message.get("id"), str | int | None)
    )
    if not is_message:
        sentence = "The body must be one JSON-RPC message: an object with jsonrpc, id and method."
        raise RpcError(_INVALID_REQUEST, sentence, 400)
    return message


def _answer(method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    match method:
        case "initialize":
            return _introduce(parameters.get("protocolVersion"))
        case "ping":
            return {}
        case "tools/list":
            return {"tools": [tool.describe() for tool in TOOLS.values()]}
        case "tools/call":
            return _call_tool(parameters)
    raise RpcError(
        _METHOD_NOT_FOUND,
        f"There is no method {method[:50]} here; there are initialize, ping, tools/list and "
        "tools/call.",
    )


def _introduce(version: Any) -> dict[str, Any]:
    return {
        "protocolVersion": version if version in PROTOCOL_VERSIONS else PROTOCOL_VERSIONS[0],
        "capabilities": {"tools": {}},
        "serverInfo": {
            "name": "hmda-data-browser",
            "title": "HMDA data browser",
            "version": settings.VERSION,
        },
        "instructions": "Public records of mortgage applications in the United States (Home "
        "Mortgage Disclosure Act, Regulation C). Call describe_questions first. Name the versions "
        "of the data in answers, and give the address of the page.",
    }


def _call_tool(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of a tool. A refusal is an answer, too: it says what would do."""
    tool = TOOLS.get(str(parameters.get("name")))
    arguments = parameters.get("arguments") or {}
    if tool is None or not isinstance(arguments, dict):
        raise RpcError(
            _INVALID_PARAMS, f"The tools are {', '.join(TOOLS)}; arguments are an object."
        )
    try:
        answer = tool.call(arguments)
    except QueriesUnavailable as refusal:
        return _content(refusal.body | {"retryAfterSeconds": refusal.seconds}, is_error=True)
    except Refusal as refusal:
        body = getattr(refusal, "body", {"message": refusal.message})
        return _content(body, is_error=True)
    return _content(answer)


def _content(answer: dict[str, Any], *, is_error: bool = False) -> dict[str, Any]:
    text = json.dumps(answer, ensure_ascii=False)
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": answer,
        "isError": is_error,
    }


class ApiCatalogue(DiscoveryView):
    """The catalogue of the APIs of this site, at the address where programs look for it."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        site = settings.PUBLIC_URL
        links = {
            "anchor": f"{site}/",
            "service-desc": [
                {"href": f"{site}{reverse('openapi')}", "type": "application/vnd.oai.openapi+json"}
            ],
            "service-doc": [{"href": f"{site}{reverse('redoc')}", "type": "text/html"}],
            "status": [{"href": f"{site}{reverse('databrowser:health')}"}],
            "describedby": [
                {"href": f"{site}{reverse('publications:data-catalogue')}"},
                {"href": f"{site}{reverse('llms')}", "type": "text/plain"},
            ],
        }
        form = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
        return JsonResponse({"linkset": [links]}, content_type=form)


class LlmsText(DiscoveryView):
    """What this site has for assistants, as a short text."""

    http_method_names = ["get", "head"]

    def get(self, request: HttpRequest) -> HttpResponse:
        context = {"site": settings.PUBLIC_URL, "tools": TOOLS.values()}
        return render(request, "databrowser/llms.txt", context, "text/plain; charset=utf-8")
