"""The Model Context Protocol's own client for Python, unchanged, against `libera mcp` and against `/mcp` of `libera serve`."""

import asyncio
import unittest

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

import place


class ModelContextTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = place.Place()

    @classmethod
    def tearDownClass(cls):
        cls.place.remove()

    def talk(self, conversation):
        async def session():
            program, *words = self.place.words("mcp")
            async with stdio_client(StdioServerParameters(command=program, args=words)) as (incoming, outgoing):
                async with ClientSession(incoming, outgoing) as client:
                    greeting = await client.initialize()
                    return await conversation(client, greeting)
        return asyncio.run(asyncio.wait_for(session(), 120))

    def test_tools_are_listed_and_called(self):
        async def conversation(client, greeting):
            self.assertEqual(greeting.server_info.name if hasattr(greeting, "server_info") else greeting.serverInfo.name, "libera")
            names = [tool.name for tool in (await client.list_tools()).tools]
            self.assertEqual(names, ["search", "ask", "list_documents", "read_document"])
            found = await client.call_tool("search", {"query": "water filter"})
            self.assertIn("4 months", found.content[0].text)
            told = []

            async def progress(share, total, message):
                told.append(message)

            answer = await client.call_tool(
                "ask", {"question": "How often must the water filter be changed?"}, progress_callback=progress)
            self.assertIn("4 months", answer.content[0].text)
            self.assertTrue(told)
            missing = await client.call_tool("read_document", {"document": "nothing"})
            self.assertTrue(getattr(missing, "is_error", None) or getattr(missing, "isError", None))
        self.talk(conversation)

    def test_documents_and_questions_are_there_to_choose(self):
        async def conversation(client, greeting):
            documents = (await client.list_resources()).resources
            self.assertEqual([one.name for one in documents], ["boiler.md"])
            self.assertIn("4 months", (await client.read_resource(documents[0].uri)).contents[0].text)
            with self.assertRaises(Exception) as caught:
                await client.read_resource("libera://documents/999999")
            self.assertIn("999999", str(caught.exception))
            self.assertEqual(
                [one.name for one in (await client.list_prompts()).prompts], ["answer_with_evidence", "summarise_document"])
            asked = await client.get_prompt("summarise_document", {"document": str(documents[0].uri)})
            self.assertIn("4 months", asked.messages[0].content.resource.text)
        self.talk(conversation)

    def test_a_call_can_be_cancelled_and_the_session_goes_on(self):
        async def conversation(client, greeting):
            asking = asyncio.create_task(client.call_tool("ask", {"question": "Tell a very long story about the sea."}))
            await asyncio.sleep(0.2)
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            self.assertTrue((await client.call_tool("list_documents", {})).content)
            # Over HTTP what was cancelled is still answered. The library falls over an answer that comes while it closes, so another
            # question is waited for, which is answered after the first.
            self.assertTrue((await client.call_tool("ask", {"question": "Hello!"})).content)
        self.talk(conversation)


class OverHTTPTest(ModelContextTest):
    """The same with a key, over HTTP."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.address, _ = cls.place.serve()
        cls.key = cls.place.run("keys", "add", "reader", "--rights", "ask").strip()

    def talk(self, conversation):
        async def session():
            headers = {"Authorization": f"Bearer {self.key}"}
            async with httpx2.AsyncClient(headers=headers, timeout=120) as http:
                async with streamable_http_client(self.address + "mcp", http_client=http) as (incoming, outgoing, *_):
                    async with ClientSession(incoming, outgoing) as client:
                        greeting = await client.initialize()
                        return await conversation(client, greeting)
        return asyncio.run(asyncio.wait_for(session(), 120))


if __name__ == "__main__":
    unittest.main()
